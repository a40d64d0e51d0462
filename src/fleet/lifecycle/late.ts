/**
 * How late lists, hosts and GitHub may be, in milliseconds. No source names these figures, so each is a guess
 * with room to spare: SPEC-SILENT: how far lists and answers lag behind what happens.
 */
export const LATE = {
  /** Two looks confirm a finding if the second was made so long after the first. */
  confirmed: 14_000,
  /** The same for the end of jobs that are all listed as completed, and none badly. */
  wellOver: 3000,
  /** What is waited for is looked at, or asked for, again: a little later than that. */
  lookAgain: 15_000,
  /** The clocks of GitHub, the machine and this host differ. */
  clocks: 5000,
  /** The machine's script looks at its clock, and at what still runs. */
  tick: 15_000,
  /** GitHub's lists show what changed: that a runner is gone, or the job that follows. A shorter gap hides nothing. */
  github: 30_000,
  /** GitHub's list shows what became of a job: whether it waited, ended or was lost with its machine. */
  job: 60_000,
  /** GitHub gives a waiting job to a runner that is online, and brings back or drops one that is not. */
  served: 120_000,
  /** The jobs list shows the job of a busy runner. */
  listed: 300_000,
  /** The jobs can't be read: findings no longer wait for them, and main ends if no machine is alive. */
  jobsUnread: 600_000,
  /** A list of the service shows what happened, such as that a machine is gone. */
  list: 90_000,
  /** A refusal holds. Then one more request asks. */
  refusal: 120_000,
  /** A machine at its deadline has ended its runner and given itself back. */
  endsItself: 30_000,
  /** A machine whose slots are over has given itself back. */
  givesItselfBack: 60_000,
} as const;

/** True if a finding holds still, by a look that was made long enough after the one that showed it first. */
export function isConfirmed(since: number, at: number): boolean {
  return at - since >= LATE.confirmed;
}
