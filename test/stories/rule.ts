/** A rule that was broken, by its name and in words. */
export interface Broken {
  rule: Rule;
  text: string;
}

/** What must not be. */
export type Rule =
  | "nothing bills after the end"
  | "nothing bills after a sweep"
  | "nothing bills after its deadline"
  | "nothing dead is kept"
  | "nobody keeps what no job needs"
  | "a running job keeps its machine"
  | "machines of one create are not ended under its job"
  | "a shared runner is kept for its job"
  | "a waiting job gets a machine"
  | "the end blames what is so"
  | "failed is failed, lost is lost"
  | "the end is true of the jobs"
  | "no host is blamed for our own ending"
  | "max-cost is kept"
  | "GitHub is not asked too often"
  | "no more machines than allowed"
  | "one create at a time, and written down"
  | "only what is ours is destroyed"
  | "a cancelled job is let end"
  | "a job that can have no machine does not wait"
  | "a job has its own result"
  | "every story ends, and no fault is a bug";
