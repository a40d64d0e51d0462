import type { RunnersPort } from "../../src/create/rent.ts";
import { GithubUnavailableError } from "../../src/github/github-errors.ts";
import type { Job } from "../../src/github/jobs.ts";
import type { RunnerState } from "../../src/github/runners.ts";
import type { RunAttempt } from "../../src/github/runs.ts";
import type { Turns } from "./turns.ts";
import { DONE_RUN, OPEN_RUN, RUN_ID, type World } from "./world.ts";

export const RUNNER_LABEL = `gpu-${RUN_ID}-1`;
const DOUBT = ["doubt"];
/** Of a removal, too: it was carried out, and the answer was lost. */
export const GITHUB_FAULTS: readonly string[] = [...DOUBT, "doubt after"];
const RUNNER_IDS = 20;

/** Runners, as main sees them; `unknown`: GitHub can't be asked, as in github-ports.ts. */
export function runnersOf(turns: Turns): RunnersPort {
  const { world } = turns;
  return {
    refusedSince: undefined,
    // No turn: a registration bills nothing, and post finds an unwritten one by its name.
    async registerRunner(name, signal) {
      signal?.throwIfAborted();
      const n = Number(name.split("-").at(-1));
      world.runners.push({ n, id: RUNNER_IDS + n, state: "offline" });
      return { id: RUNNER_IDS + n, jitConfig: "configuration" };
    },
    look: (ids, signal) =>
      turns.ask<ReadonlyMap<number, RunnerState> | undefined>(
        {
          name: "look at the runners",
          isLook: true,
          touches: "github",
          faults: DOUBT,
          serve: (fault) => (fault === undefined ? new Map([...ids].map((id) => [id, stateOf(world, id)])) : undefined),
        },
        signal,
      ),
    remove: (id, signal) =>
      turns.ask<"removed" | "busy" | "unknown">(
        {
          name: `remove runner ${id}`,
          touches: "github",
          faults: GITHUB_FAULTS,
          serve: (fault) => {
            const answer = fault === "doubt" ? "unknown" : remove(world, id);
            return fault === undefined ? answer : "unknown";
          },
        },
        signal,
      ),
  };
}

function stateOf(world: World, id: number): RunnerState {
  return world.runners.find((each) => each.id === id)?.state ?? "gone";
}

function remove(world: World, id: number): "removed" | "busy" {
  if (world.runners.some((each) => each.id === id && each.state === "busy")) return "busy";
  world.runners = world.runners.filter((each) => each.id !== id);
  return "removed";
}

/** This attempt's jobs that are ours or ask for a machine; undefined: GitHub can't be asked. */
export function jobsOf(turns: Turns): (signal?: AbortSignal) => Promise<Job[] | undefined> {
  return (signal) =>
    turns.ask<Job[] | undefined>(
      {
        name: "list the jobs",
        isLook: true,
        touches: "github",
        faults: DOUBT,
        serve: (fault) => (fault === undefined ? jobs(turns.world) : undefined),
      },
      signal,
    );
}

function orDoubt<T>(fault: string | undefined, answer: T): T {
  if (fault !== undefined) throw new GithubUnavailableError("ask", "no answer");
  return answer;
}

const STATUSES = { queued: "queued", running: "in_progress", done: "completed" } as const;

function jobs(world: World): Job[] {
  const common = { conclusion: undefined, labels: [], runnerId: undefined, runnerName: undefined, url: undefined };
  const asking = world.jobs.map(({ state, runner }, index) => ({
    ...common,
    id: 2 + index,
    name: `test ${1 + index}`,
    status: STATUSES[state],
    labels: [RUNNER_LABEL],
    runnerId: runner,
    conclusion: state === "done" ? "success" : undefined,
  }));
  return [{ ...common, id: 1, name: "rent", status: "in_progress" }, ...asking];
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
