import { unnamed } from "../../machine/said.ts";
import { describeOffer } from "../../offers/search.ts";
import { oneLine } from "../../shared/foreign-text.ts";
import { CAUSES, type CauseName, type EndCause, FOLLOWS } from "../lifecycle/causes.ts";
import type { Rules } from "../options.ts";
import { type Machine, machineFacts, type Slot } from "../stage.ts";
import type { Fleet } from "../state.ts";

/** Returns what ended a machine that should have worked on. Undefined: nothing did. */
export function endCause(machine: Machine): CauseName | undefined {
  const cause = machine.ending?.cause;
  return cause === "idle" && machineFacts(machine).hadJob ? undefined : cause;
}

/** Returns what follows from a machine's end. Nothing, not even a used attempt, if it still works or ended as it should. */
export function followsOf(machine: Machine): (typeof FOLLOWS)["host"] {
  const cause = endCause(machine);
  return cause === undefined ? { attempt: false, pause: false, history: false } : FOLLOWS[CAUSES[cause].blame];
}

/** Returns the failures since a job last began, without those that GitHub's refusals caused. */
export function failuresOf(fleet: Fleet): Machine[] {
  const { lastBeginAt, machines } = fleet;
  const refused = refusedRunners(fleet);
  return machines.filter(
    (machine) => followsOf(machine).attempt && !refused.includes(machine) && (machine.ending?.since ?? 0) > lastBeginAt,
  );
}

/** True if machines are rented on demand: bids brought no machine, and `bid-fallback` allows it. */
export function isOnDemand({ bidsFailedAt, machines }: Fleet, { bidFallback }: Pick<Rules, "bidFallback">): boolean {
  return bidFallback && (bidsFailedAt !== undefined || machines.some(({ ending }) => ending?.cause === "outbid"));
}

/** Counts the offers that were gone when they were asked for. */
export function offersGone({ machines }: Fleet): number {
  const gone = machines.filter(({ answer }) => answer?.kind === "uncertain" || isOfferGone(answer));
  return new Set(gone.map(({ candidate }) => candidate.offer.id)).size;
}

/** True if the create was refused because somebody else has the offer. */
export function isOfferGone(answer: Machine["answer"]): boolean {
  return answer?.kind === "refused" && answer.refusal.code === "offer-gone";
}

/** How many hosts must say or do the same until the host is not the reason. */
export const ENOUGH_HOSTS = 2;

/** What a runner may log that GitHub's API can confirm, and how the API shows it. */
const CONFIRMABLE: readonly { says: RegExp; isShown: (slot: Slot) => boolean }[] = [
  {
    says: /registration has been deleted|no longer exists on the server/i,
    // The API answers 404 for that runner.
    isShown: ({ runner }) => runner === "gone",
  },
  {
    says: /^(?:Skipping message Job|acquiring job)\b/,
    // The API shows the runner as busy, though no job ever begins on it.
    isShown: ({ wasBusy }) => wasBusy === true,
  },
];

/**
 * Returns the machines whose runners GitHub refused: two hosts logged the same words, and GitHub's
 * API does not contradict them. One log alone is only its host's word.
 */
export function refusedRunners({ machines }: Fleet): Machine[] {
  const ended = machines.filter((machine) => machine.ending !== undefined && !machineFacts(machine).hadJob);
  const isDenied = ({ slots, words }: Machine) =>
    CONFIRMABLE.some(({ isShown, says }) => says.test(words?.text ?? "") && !slots.some(isShown));
  const logged = ended.filter((machine) => machine.words?.by === "runner" && !isDenied(machine));
  const same = Map.groupBy(logged, (machine) => unnamedWords(machine, machine.words?.text ?? ""));
  return [...same.values()].filter((group) => hostsOf(group) >= ENOUGH_HOSTS).flat();
}

/** Counts the hosts of these machines. A host without an id counts once for each offer. */
export function hostsOf(machines: readonly Machine[]): number {
  return new Set(machines.map(({ candidate: { offer } }) => offer.machineId ?? -offer.id)).size;
}

/** True if a job came to a runner that was ready later, so that GitHub accepts our runners again. */
export function hasServedSince({ machines }: Fleet, at: number): boolean {
  return machines.some((machine) => (machine.readyAt ?? 0) > at && machineFacts(machine).hadJob);
}

/** Returns a machine's words without names and numbers, which differ from machine to machine. */
export function unnamedWords({ slots }: Machine, words: string): string {
  return unnamed(slots.reduce((text, { runnerName }) => text.replaceAll(runnerName, "…"), words));
}

/** Returns the causes in words, such as `3 too slow to boot, 1 broken host`, and what to do about the commonest. */
export function commonCauses(failures: readonly Machine[]): { words: string; todo: string } {
  const byCause = Map.groupBy(failures, (machine) => endCause(machine) ?? "lost");
  const causes = [...byCause].toSorted(([, left], [, right]) => right.length - left.length);
  const words = causes.map(([cause, { length }]) => {
    const { many, one }: EndCause = CAUSES[cause];
    return `${length} ${length === 1 ? one : (many ?? one)}`;
  });
  return { words: words.join(", "), todo: CAUSES[causes[0]?.[0] ?? "lost"].todo };
}

const MOST_NAMED = 4;

/** Says of each failed machine, up to four, why it failed. */
export function describeFailures(failures: readonly Machine[]): string[] {
  const named = failures.slice(0, MOST_NAMED).map(failureLine);
  return failures.length > MOST_NAMED ? [...named, "The log has the others."] : named;
}

function failureLine({ candidate, connectError, ending }: Machine, index: number): string {
  const said = ending?.cause === "online" && connectError ? ` Its runner said: “${connectError}”` : "";
  return `Attempt ${index + 1}, ${describeOffer(candidate.offer)}: ${oneLine(ending?.why ?? "")}.${said}`;
}
