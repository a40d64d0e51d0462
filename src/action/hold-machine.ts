import { type HoldEnd, hold } from "../holding/hold.ts";
import { GpuJobFailedError } from "../holding/holding-errors.ts";
import type { HoldingDeps } from "../holding/ports.ts";
import { waitForJob } from "../holding/wait-for-job.ts";
import type { Ready, Renter } from "../provisioning/renter.ts";
import { jobsOrUndefined } from "./github-ports.ts";
import { heldMachine } from "./held-machine.ts";
import type { InputValues } from "./input-schema.ts";
import { noteEnd } from "./main-end.ts";
import type { Use } from "./open-use.ts";
import type { Rooms } from "./rooms.ts";
import type { RunContext } from "./run-context.ts";

/** All that main has open while it waits for a job and holds a machine for it. */
export interface Stay {
  inputs: Readonly<InputValues>;
  run: RunContext;
  rooms: Rooms;
  use: Use;
  renter: Renter;
  signal: AbortSignal;
}

/** Waits until a job asks for the machine; false when none will. With `hold: false` nobody is asked. */
export async function isAskedFor(stay: Stay): Promise<boolean> {
  const { inputs, rooms } = stay;
  if (inputs.hold === "false") return true;
  const answer = await waitForJob(holdingDeps(stay), { hold: inputs.hold, waitForJobMs: inputs["wait-for-job"] });
  if (answer.kind === "end") tellNoJob(rooms, answer.warning);
  return answer.kind === "rent";
}

/** Holds the machine until the GPU job is over. True: it was lost before that, and all begins anew. */
export async function isLost(stay: Stay, machine: Ready): Promise<boolean> {
  const { inputs, renter, rooms, use } = stay;
  if (inputs.hold === "false") return tellEnd(rooms, { kind: "return" });
  const options = { hold: inputs.hold, idleTimeoutMs: inputs["idle-timeout"] };
  const deps = holdingDeps(stay);
  for (;;) {
    const end = await rooms.log.stage("Hold the machine", () => hold(deps, heldMachine(rooms, use, machine), options));
    if (end.kind !== "lost") return tellEnd(rooms, end);
    if ((await renter.giveUpReady(machine, end.why)) === "destroyed") return true;
  }
}

function tellEnd(rooms: Rooms, end: Exclude<HoldEnd, { kind: "lost" }>): false {
  const { log } = rooms;
  if (end.kind === "over" && end.bad.length > 0) throw new GpuJobFailedError(end.bad);
  if (end.kind === "over") {
    noteEnd({ kind: "over" });
    log.info("The GPU job is over.");
  }
  if (end.kind === "return") noteEnd({ kind: "ready" });
  if (end.kind === "no-job") tellNoJob(rooms, end.warning);
  return false;
}

function tellNoJob({ log }: Rooms, warning: string): void {
  noteEnd({ kind: "no-job", message: warning });
  log.warning(warning);
}

function holdingDeps({ inputs, rooms, run, signal, use }: Stay): HoldingDeps {
  const checkRunId = Number(inputs["job-check-run-id"]) || undefined;
  const own = { checkRunId, runnerName: run.runnerName, jobName: run.jobName };
  return {
    clock: rooms.clock,
    log: rooms.log,
    signal,
    listJobs: (stop) => jobsOrUndefined(rooms.jobs, stop),
    whose: () => ({ runnerLabel: run.runnerLabel, runnerIds: use.runnerIds, own }),
  };
}
