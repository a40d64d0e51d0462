import type { DeepReadonly, Fleet, Machine as StoredMachine } from "./state.ts";

type Machine = DeepReadonly<StoredMachine>;

type Slot = Machine["slots"][number];

/** What runners say that GitHub's API can tell, too, and how it does. */
const CHECKS: readonly { says: RegExp; isTold: (slot: Slot) => boolean }[] = [
  {
    says: /registration has been deleted|no longer exists on the server/i,
    // It answers 404 for that runner.
    isTold: ({ runner }) => runner === "gone",
  },
  {
    says: /^(?:Skipping message Job|acquiring job)\b/,
    // It shows the runner as busy, though no job ever begins on it.
    isTold: ({ wasBusy }) => wasBusy === true,
  },
];

/**
 * Machines whose runners ended for a fault that is not their hosts': two hosts have the same words
 * in their logs, and GitHub's API, where it can tell, agrees. One log alone is its host's word.
 */
export function refusedRunners({ machines }: Fleet): Machine[] {
  const ended = machines.filter(({ ending, slots }) => ending && slots.every(({ job }) => job === undefined));
  const told = ended.filter((machine) => machine.words?.by === "runner" && !isDenied(machine));
  return [...Map.groupBy(told, sentenceOf).values()].filter((same) => hostsOf(same) > 1).flat();
}

/** How many hosts they are; one that is not told is another for each of its offers. */
export function hostsOf(machines: readonly Machine[]): number {
  return new Set(machines.map(({ candidate: { offer } }) => offer.machineId ?? -offer.id)).size;
}

/** A job came to a runner that was ready later: GitHub has nothing against ours any more. */
export function hasServedSince({ machines }: Fleet, at: number): boolean {
  return machines.some(({ readyAt = 0, slots }) => readyAt > at && slots.some(({ job }) => job !== undefined));
}

function isDenied({ slots, words }: Machine): boolean {
  return CHECKS.some(({ isTold, says }) => says.test(words?.text ?? "") && !slots.some(isTold));
}

/** Its words without what differs from runner to runner: names and numbers. */
function sentenceOf({ slots, words }: Machine): string {
  const unnamed = slots.reduce((text, { runnerName }) => text.replaceAll(runnerName, "0"), words?.text ?? "");
  return unnamed.replaceAll(/\d+/g, "0");
}
