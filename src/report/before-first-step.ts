import type { Fleet } from "../fleet/state.ts";
import type { GpuJob } from "../github/jobs.ts";

/** A job that failed. `setup`: what its log says of a `setup` that had failed, as far as that was read. */
export type FailedEarly = Pick<GpuJob, "failedStep"> & { setup?: string | undefined };

/** Adds to failed jobs what their logs say of their machines' `setup`. */
export function withSetup<Job extends GpuJob>(jobs: readonly Job[], { machines }: Pick<Fleet, "machines">) {
  const slots = machines.flatMap((machine) => machine.slots);
  return jobs.map((job) => ({ ...job, setup: slots.find((slot) => slot.job?.id === job.id)?.log?.setup }));
}

/** Says why a job failed in a step that the runner program adds. Undefined: it failed by its own steps. */
export function earlyReason({ failedStep, setup }: FailedEarly): { what: string; hint: string } | undefined {
  if (failedStep === "Initialize containers")
    return {
      what: "these machines have no Docker: leave `container:` out, `image` is the container",
      hint: "Leave `container:` and `services:` out of the GPU job. Start in a step, or in setup, what services would have started.",
    };
  // The machine's hook, which refuses a job of this run only after a setup that failed.
  if (failedStep !== "Set up runner") return undefined;
  const what = setup ?? "setup failed on its machine, as the job's log shows";
  return { what, hint: "Look at the output of setup in the GPU job's log, and correct setup." };
}
