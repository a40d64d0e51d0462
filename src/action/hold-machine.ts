import { type HoldEnd, hold } from "../fleet/hold.ts";
import { GpuJobFailedError } from "../fleet/holding-errors.ts";
import type { HoldingDeps } from "../fleet/holding-ports.ts";
import type { Ready, Renter } from "../fleet/renter.ts";
import { waitForJob } from "../fleet/wait-for-job.ts";
import type { Log } from "../log.ts";
import { heldMachine } from "./held-machine.ts";
import type { InputValues } from "./inputs/input-schema.ts";
import type { Use } from "./open-use.ts";
import { jobsOrUndefined } from "./platform/github-ports.ts";
import { noteEnd } from "./platform/main-end.ts";
import type { Rooms } from "./platform/rooms.ts";
import type { RunContext } from "./platform/run-context.ts";
import type { ReceiptContext } from "./report/receipt.ts";

/** All that main has open while it waits for a job and holds a machine for it. */
export interface Stay {
  inputs: Readonly<InputValues>;
  run: RunContext;
  rooms: Rooms;
  use: Use;
  renter: Renter;
  /** For the receipt. */
  context: ReceiptContext;
  signal: AbortSignal;
}

/** Waits until a job asks for the machine; false when none will. With `hold: false` nobody is asked. */
export async function isAskedFor(stay: Stay): Promise<boolean> {
  const { inputs, rooms } = stay;
  if (!inputs.hold) return true;
  const answer = await waitForJob(holdingDeps({ ...stay, runnerIds: stay.use.runnerIds }), {
    hold: "auto",
    waitForJobMs: inputs["wait-for-job"],
  });
  if (answer.kind === "end") tellNoJob(rooms, answer.warning);
  return answer.kind === "rent";
}

/** Holds the machine until the GPU job is over. True: it was lost before that, and all begins anew. */
export async function isLost(stay: Stay, machine: Ready): Promise<boolean> {
  const { inputs, renter, rooms, use } = stay;
  if (!inputs.hold) return tellEnd(stay, { kind: "return" });
  const options = { hold: "auto" as const, idleTimeoutMs: inputs["idle-timeout"] };
  const deps = holdingDeps({ ...stay, runnerIds: stay.use.runnerIds });
  for (;;) {
    const end = await rooms.log.stage("Hold the machine", () => hold(deps, heldMachine(rooms, use, machine), options));
    if (end.kind !== "lost") return tellEnd(stay, end);
    if ((await renter.giveUpReady(machine, end.why)) === "destroyed") return true;
  }
}

function tellEnd({ inputs, rooms: { log } }: Stay, end: Exclude<HoldEnd, { kind: "lost" }>): false {
  if (end.kind === "over" && end.bad.length > 0) return tellBadEnd(inputs["fail-with-job"], end, log);
  if (end.kind === "over") {
    noteEnd({ kind: "over" });
    log.info("The GPU job is over.");
  }
  if (end.kind === "return") noteEnd({ kind: "ready" });
  if (end.kind === "no-job") tellNoJob({ log }, end.warning);
  return false;
}

function tellNoJob({ log }: Pick<Rooms, "log">, warning: string): void {
  noteEnd({ kind: "no-job", message: warning });
  log.warning(warning);
}

function tellBadEnd(failWithJob: boolean, end: Extract<HoldEnd, { kind: "over" }>, log: Log): false {
  if (failWithJob) throw new GpuJobFailedError(end.bad, end.url);
  noteEnd({ kind: "over" });
  log.warning(`The GPU job did not succeed (${end.bad.join(", ")}). With fail-with-job: false this job goes on.`);
  return false;
}

/** What is needed to look at the jobs of this attempt. */
export interface Looking {
  inputs: Pick<InputValues, "job-check-run-id">;
  run: RunContext;
  rooms: Pick<Rooms, "clock" | "log" | "jobs">;
  runnerIds: ReadonlySet<number>;
  signal: AbortSignal;
}

/** The jobs of this attempt, as the holding room looks at them. */
export function holdingDeps({ inputs, rooms, run, runnerIds, signal }: Looking): HoldingDeps {
  const checkRunId = Number(inputs["job-check-run-id"]) || undefined;
  const own = { checkRunId, runnerName: run.runnerName, jobName: run.jobName };
  return {
    clock: rooms.clock,
    log: rooms.log,
    signal,
    listJobs: (stop) => jobsOrUndefined(rooms.jobs, stop),
    requestsLeft: () => rooms.jobs.requestsLeft,
    whose: () => ({ runnerLabel: run.runnerLabel, runnerIds, own }),
  };
}
