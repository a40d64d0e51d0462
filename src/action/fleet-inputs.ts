import { booleanField, choiceField, durationField, numberField, numberOrAutoField, textField } from "./input-fields.ts";

/** The fates of a job that can have no machine. */
const IF_NO_MACHINE = ["auto", "cancel", "fail-jobs", "leave"] as const;

/** One word of it. */
export type IfNoMachine = (typeof IF_NO_MACHINE)[number];

/** Machines that `auto` allows: a volume is on one machine, and no other can have it. */
export const AUTO_MACHINES = { usual: 4, withVolume: 1, perRepository: 8 };

/** The inputs that say how many machines serve how many jobs, by their names in action.yml. */
export const FLEET_INPUTS = {
  machines: numberOrAutoField({ min: 1, max: 16, whole: true, unit: "machines" }),
  jobs: numberOrAutoField({ min: 1, max: 1000, whole: true, unit: "jobs" }),
  "jobs-per-machine": numberField({ min: 1, max: 4, whole: true, unit: "jobs", fallback: "1" }),
  hedge: booleanField(true),
};

/** The inputs about the end and what follows it, named as in action.yml. Milliseconds. */
export const END_INPUTS = {
  hold: booleanField(true, "auto"),
  "wait-for-job": durationField({ min: "0s", max: "6h", fallback: "30m" }),
  "fail-with-job": booleanField(true),
  "keep-failed": durationField({ min: "0s", max: "24h", fallback: "0s" }),
  "if-no-machine": choiceField(IF_NO_MACHINE, "auto"),
};

/** Told by the platform about this very job, as defaults of inputs that nobody sets. */
export const JOB_INPUTS = {
  "job-check-run-id": textField({ pattern: /^\d+$/, words: "the id of this job's check run; leave it alone" }),
  "job-status": textField({ pattern: /^[a-z_]+$/, words: "the status of this job; leave it alone" }),
  "strategy-fail-fast": booleanField(false),
  "strategy-job-total": numberField({
    min: 1,
    max: 1_000_000,
    whole: true,
    unit: "jobs of this job's matrix; leave it alone",
    fallback: "1",
  }),
};
