/** A rule that was broken, by its name and in words. `isLate`: a slow computer alone can cause it. */
export interface Broken {
  rule: Rule;
  text: string;
  isLate?: boolean;
}

/** What must be so, whatever happens, and what it means. */
export const RULES = {
  "nothing bills after the end": "After post nothing of ours is left, but what it names because it could not end it.",
  "nothing bills after a sweep": "Nothing is left after a sweep that could see it.",
  "who leaves a machine names it": "Post and a green sweep name what they leave and could see, and nothing else.",
  "nothing bills after its deadline": "Main ends what is past its deadline, and a machine ends itself.",
  "nothing dead is kept": "A machine that does nothing any more is destroyed within minutes.",
  "nobody keeps what no job needs": "A machine that no job needs, as all lists show, is given back.",
  "a running job keeps its machine": "Neither main nor the machine's script ends it under a job before its deadline.",
  "who takes a machine from a job says so": "Post is red when it ends a machine under a job and main was green.",
  "machines of one create are not ended under its job": "Nobody can tell which of them runs the job that both could.",
  "a waiting job gets a machine": "Where nothing goes wrong but machines, each job that can do well does.",
  "failed is failed, lost is lost": "A job that ended badly by itself is not called lost, and the reverse.",
  "the end is true of the jobs": "Main is green only if the jobs that it was shown did well, and names none that did.",
  "max-cost is kept": "All machines together cost no more until their deadlines, and a minute of each.",
  "GitHub is not asked too often": "At most 300 requests in a minute, and none on and on in vain.",
  "no more machines than allowed": "Of a session and of a repository, without those that nobody could know of.",
  "one create at a time, and written down": "Before it leaves, and never sent again.",
  "only what is ours is destroyed": "No request but a read touches another's instance, unless it is a sweep's.",
  "a cancelled job is let end": "Post leaves the machine of a cancelled job until its runner has ended it.",
  "a job that can have no machine does not wait": "Its run is cancelled, unless that takes something from others.",
  "colour and message agree": "A red process says why, a green one reports no error.",
  "no word of the bill is false": "“Nothing was rented” and “nothing is rented any more” are so.",
  "post ends in time": "Within what the platform gives it after a cancel.",
  "every story ends, and no fault is a bug": "Each process ends, with 0 or 1, soon after nothing is left to do.",
  "what no session may ever do":
    "Print a secret, obey foreign text, use a runner configuration twice, ask for what is not there.",
} as const;

/** The name of a rule. */
export type Rule = keyof typeof RULES;
