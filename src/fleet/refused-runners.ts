import type { DeepReadonly, Fleet, Machine as StoredMachine } from "./state.ts";

type Machine = DeepReadonly<StoredMachine>;

type Slot = Machine["slots"][number];

/** What a runner may say that GitHub's API shows, too, and how it shows. */
const CHECKS: readonly { says: RegExp; isTold: (slot: Slot) => boolean }[] = [
  {
    says: /registration has been deleted|no longer exists on the server/i,
    // The API answers 404 for that runner.
    isTold: ({ runner }) => runner === "gone",
  },
  {
    says: /^(?:Skipping message Job|acquiring job)\b/,
    // The API shows the runner as busy, though no job ever begins on it.
    isTold: ({ wasBusy }) => wasBusy === true,
  },
];

/**
 * Returns the machines whose runners GitHub refused: two hosts logged the same words, and GitHub's
 * API does not contradict them. One log alone is only its host's word.
 */
export function refusedRunners({ machines }: Fleet): Machine[] {
  const ended = machines.filter(({ ending, slots }) => ending && slots.every(({ job }) => job === undefined));
  const told = ended.filter((machine) => machine.words?.by === "runner" && !isDenied(machine));
  return [...Map.groupBy(told, sentenceOf).values()].filter((same) => hostsOf(same) > 1).flat();
}

/** Counts the hosts of these machines. A host without an id counts once for each offer. */
export function hostsOf(machines: readonly Machine[]): number {
  return new Set(machines.map(({ candidate: { offer } }) => offer.machineId ?? -offer.id)).size;
}

/** True if a job came to a runner that was ready later, so that GitHub accepts our runners again. */
export function hasServedSince({ machines }: Fleet, at: number): boolean {
  return machines.some(({ readyAt = 0, slots }) => readyAt > at && slots.some(({ job }) => job !== undefined));
}

function isDenied({ slots, words }: Machine): boolean {
  return CHECKS.some(({ isTold, says }) => says.test(words?.text ?? "") && !slots.some(isTold));
}

/** Returns the runner's words without names and numbers, which differ from runner to runner. */
function sentenceOf({ slots, words }: Machine): string {
  const unnamed = slots.reduce((text, { runnerName }) => text.replaceAll(runnerName, "0"), words?.text ?? "");
  return unnamed.replaceAll(/\d+/g, "0");
}
