import type { GpuJob, GpuJobs, JobState } from "../../src/github/jobs.ts";
import type { RunnerState } from "../../src/github/runners.ts";
import type { Instance } from "../../src/vast/schemas/instance.ts";
import type { Gap } from "./story.ts";
import { type Box, type JobInWorld, outageOf, type World } from "./world.ts";

/** Whether a list is in such a gap now. */
export function isIn(world: World, list: Gap["list"]): boolean {
  return world.story.gaps.some(
    (gap) => gap.list === list && world.now >= gap.fromS * 1000 && world.now < (gap.fromS + gap.lastsS) * 1000,
  );
}

/** The jobs, as GitHub lists them some seconds late; undefined: it can't be asked. */
export function jobsSeen(world: World): GpuJobs | undefined {
  if (isIn(world, "github")) return undefined;
  const at = world.now - world.story.jobsLagS * 1000;
  const others = world.story.othersUntilS > 0 ? 1 : 0;
  const isOpen = at < world.story.othersUntilS * 1000;
  const othersOpen = isOpen ? [{ name: "lint", status: "in_progress", labels: ["ubuntu-latest"] }] : [];
  const shown = isIn(world, "no jobs shown") ? [] : world.jobs.filter(({ appearedAt }) => appearedAt <= at);
  return { ours: shown.map((job) => jobSeen(job, at)), others, othersOpen };
}

function jobSeen(job: JobInWorld, at: number): GpuJob {
  const state = stateAt(job, at);
  const hasRunner = state === "running" || (state === "over" && job.runner !== undefined);
  return {
    id: job.id,
    name: job.name,
    state,
    conclusion: state === "over" ? job.conclusion : undefined,
    runnerId: hasRunner ? job.runner?.id : undefined,
    runnerName: hasRunner ? job.runner?.name : undefined,
    url: undefined,
    startedAt: state === "running" || state === "over" ? job.startedAt : undefined,
    completedAt: state === "over" ? job.overAt : undefined,
    otherLabels: job.story.asksForMore ? ["self-hosted"] : [],
  };
}

function stateAt({ queuedAt, startedAt, overAt }: JobInWorld, at: number): JobState {
  if (overAt <= at) return "over";
  if (startedAt <= at) return "running";
  return queuedAt <= at ? "waiting" : "held";
}

/** This use's instances, as listed some seconds late; undefined: the service can't be asked. */
export function instancesSeen(world: World): Instance[] | undefined {
  if (isIn(world, "service")) return undefined;
  if (isIn(world, "no instances shown")) return [];
  const at = world.now - world.story.instancesLagS * 1000;
  return world.boxes
    .filter(({ createdAt, goneAt }) => createdAt <= at && at < goneAt)
    .map((box) => instanceSeen(box, at));
}

function instanceSeen({ id, label, ...box }: Box, at: number): Instance {
  return { id, label, ...statusAt(box, at) };
}

function statusAt({ host, runningAt, runners, deadAt }: Omit<Box, "id" | "label">, at: number): Partial<Instance> {
  if (at < runningAt) return { actual_status: "loading" };
  if (host.fate === "bad image") return { actual_status: "loading", status_msg: "manifest unknown" };
  if (host.fate === "broken") return { actual_status: "created", status_msg: "OCI runtime create failed" };
  if (at >= deadAt && host.fate === "exits") return { actual_status: "exited" };
  if (at >= deadAt && host.fate === "outbid")
    return { actual_status: "exited", intended_status: "stopped", cur_state: "stopped", is_bid: true };
  const [from, to] = outageOf({ host, runners });
  const isSilent = ["silent", "cut off"].includes(host.fate) && at >= from && at < to;
  return { actual_status: isSilent ? "offline" : "running" };
}

/** The states of these runners some seconds ago; undefined: GitHub can't be asked. */
export function runnersSeen(world: World, ids: readonly number[]): Map<number, RunnerState> | undefined {
  if (isIn(world, "github")) return undefined;
  const at = world.now - world.story.runnersLagS * 1000;
  return new Map(
    ids.map((id) => {
      const runner = world.runners.get(id);
      return [id, runner === undefined ? "gone" : world.stateOf(runner, at)];
    }),
  );
}
