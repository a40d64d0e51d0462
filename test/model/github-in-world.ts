import { GithubDoubtError } from "../../src/github/github-errors.ts";
import type { Job } from "../../src/github/job.ts";
import type { RunAttempt } from "../../src/github/run-attempts.ts";
import type { RunnerPort } from "../../src/machine/ports.ts";
import type { Turns } from "./turns.ts";
import { DONE_RUN, OPEN_RUN, RUN_ID, type World } from "./world.ts";

export const RUNNER_LABEL = `gpu-${RUN_ID}-1`;
const DOUBT = ["doubt"];
const RUNNER_IDS = 20;

/** Runners, as main sees them. What GitHub can't be asked is `unknown`, as `src/action/platform/github-ports.ts` makes it. */
export function runnersOf(turns: Turns): RunnerPort {
  const { world } = turns;
  const ask = <T>(name: string, serve: () => T, signal: AbortSignal | undefined, faults: readonly string[] = DOUBT) =>
    turns.ask<T | "unknown">({ name, touches: "github", faults, serve: (fault) => serveOr(fault, serve) }, signal);
  return {
    // Not a turn: nothing bills for a registration, and post finds one that was not written down by its name.
    async mint(_name, signal) {
      signal?.throwIfAborted();
      const n = world.asked.length + 1;
      world.runners.push({ n, id: RUNNER_IDS + n, state: "offline" });
      return { id: RUNNER_IDS + n, jitConfig: "configuration" };
    },
    status: (id, signal) => ask(`status of runner ${id}`, () => statusOf(world, id), signal),
    remove: (id, signal) => ask(`remove runner ${id}`, () => remove(world, id), signal, [...DOUBT, "doubt after"]),
    ranJob: ({ id }, signal) => ask(`did runner ${id} have the job`, () => (ranJob(world, id) ? "yes" : "no"), signal),
  };
}

function serveOr<T>(fault: string | undefined, serve: () => T): T | "unknown" {
  const answer = fault === "doubt" ? "unknown" : serve();
  return fault === undefined ? answer : "unknown";
}

function statusOf(world: World, id: number): "online" | "offline" | "gone" {
  const runner = world.runners.find((each) => each.id === id);
  if (runner === undefined) return "gone";
  return runner.state === "offline" ? "offline" : "online";
}

function remove(world: World, id: number): "removed" | "busy" {
  if (world.runners.some((each) => each.id === id && each.state === "busy")) return "busy";
  world.runners = world.runners.filter((each) => each.id !== id);
  return "removed";
}

function ranJob({ job }: World, id: number): boolean {
  return job.state !== "queued" && job.runner === id;
}

/** The jobs of this run attempt: ours, and the one that asks for the machine. */
export function jobsOf(turns: Turns) {
  const list = (signal?: AbortSignal) =>
    turns.ask<Job[]>(
      { name: "list the jobs", touches: "github", faults: DOUBT, serve: (fault) => orDoubt(fault, jobs(turns.world)) },
      signal,
    );
  return { list, requestsLeft: undefined };
}

function orDoubt<T>(fault: string | undefined, answer: T): T {
  if (fault !== undefined) throw new GithubDoubtError("ask", "no answer");
  return answer;
}

function jobs({ job }: World): Job[] {
  const common = { conclusion: undefined, labels: [], runnerId: undefined, runnerName: undefined, url: undefined };
  const statuses = { queued: "queued", running: "in_progress", done: "completed" } as const;
  const gpu = {
    labels: [RUNNER_LABEL],
    runnerId: job.runner,
    conclusion: job.state === "done" ? "success" : undefined,
  };
  return [
    { ...common, id: 1, name: "rent", status: "in_progress" },
    { ...common, id: 2, name: "test", status: statuses[job.state], ...gpu },
  ];
}

/** Run attempts, as a sweep sees them. */
export function attemptsOf(turns: Turns, doubts: boolean) {
  const get = (runId: number, _attempt: number, signal?: AbortSignal) =>
    turns.ask<RunAttempt | undefined>(
      {
        name: `is run ${runId} over`,
        touches: "github",
        faults: DOUBT,
        serve: (fault) => orDoubt(doubts ? "doubt" : fault, attempt(turns.world, runId)),
      },
      signal,
    );
  return { get };
}

function attempt({ now, runOverAt }: World, runId: number): RunAttempt | undefined {
  if (runId === OPEN_RUN) return { isCompleted: false, unchangedForMs: 0 };
  if (runId === DONE_RUN) return { isCompleted: true, unchangedForMs: 86_400_000 };
  if (runOverAt === undefined) return { isCompleted: false, unchangedForMs: 0 };
  return { isCompleted: true, unchangedForMs: (now - runOverAt) * 1000 };
}
