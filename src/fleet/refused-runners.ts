import type { DeepReadonly, Fleet, Machine as StoredMachine } from "./state.ts";

type Machine = DeepReadonly<StoredMachine>;

/** Where the runner says so GitHub's API must, too: it answers 404 for that runner. */
const SAYS_GONE = /registration has been deleted|no longer exists on the server/i;

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

function isDenied({ slots, words }: Machine): boolean {
  return SAYS_GONE.test(words?.text ?? "") && !slots.some(({ runner }) => runner === "gone");
}

/** Its words without what differs from runner to runner: names and numbers. */
function sentenceOf({ slots, words }: Machine): string {
  const unnamed = slots.reduce((text, { runnerName }) => text.replaceAll(runnerName, "0"), words?.text ?? "");
  return unnamed.replaceAll(/\d+/g, "0");
}
