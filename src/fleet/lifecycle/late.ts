/**
 * How late lists, hosts and GitHub may be, in milliseconds. No source names these figures, so each is a guess
 * with room to spare: SPEC-SILENT: how far lists and answers lag behind what happens.
 */
export const LATE = {
  /** Two looks confirm a finding if the second was made so long after the first. */
  confirmed: 14_000,
  /** When to look again to confirm a finding: a little later than that. */
  lookAgain: 15_000,
  /** GitHub notices that a runner is gone, with some seconds for clocks that differ. */
  githubMisses: 30_000,
  /** A list of the service shows what happened. */
  list: 90_000,
  /** The jobs list shows the job of a busy runner. */
  listed: 300_000,
  /** GitHub gives a waiting job to a runner that is online. */
  dispatched: 120_000,
  /** GitHub shows whether a job ended or was lost with its machine. */
  lost: 60_000,
  /** An offline runner comes back, or is dropped. */
  offline: 120_000,
  /** The list of runners can't be read: a runner may have come and gone unseen. */
  runnersUnread: 30_000,
  /** Jobs or runners can't be read: nobody knows whether a job waited all the while. */
  unseen: 60_000,
  /** The jobs can't be read: findings no longer wait for them, and main ends if no machine is alive. */
  jobsUnread: 600_000,
  /** A job appears whose needs are over. */
  nextJob: 30_000,
  /** A job that waits for a label like ours finds another runner that has it. */
  mistyped: 120_000,
  /** A refusal holds. Then one more request asks. */
  refusal: 120_000,
  /** A listener ends after its job. */
  listenerEnds: 15_000,
  /** The machine script ends what still runs at the deadline: so much before it. */
  lastTick: 15_000,
  /** The clocks of GitHub, the machine and this host differ. */
  clocks: 5000,
  /** A machine at its deadline has ended its runner and given itself back. */
  endsItself: 30_000,
  /** A machine whose slots are over has given itself back. */
  givesItselfBack: 60_000,
  /** A machine that is being released is gone, and no job can come to it. */
  released: 90_000,
} as const;

/** True if a finding holds still, by a look that was made long enough after the one that showed it first. */
export function isConfirmed(since: number, at: number): boolean {
  return at - since >= LATE.confirmed;
}
