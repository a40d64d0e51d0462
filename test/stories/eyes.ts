import { noteJobs, noteRunners } from "../../src/fleet/observe/note-github.ts";
import { noteInstances } from "../../src/fleet/observe/note-instances.ts";
import type { Pace } from "../../src/fleet/plan/pace.ts";
import { isAlive } from "../../src/fleet/stage.ts";
import type { Fleet } from "../../src/fleet/state.ts";
import { instancesSeen, jobsSeen, runnersSeen } from "./lists.ts";
import type { World } from "./world.ts";

export const PREFIX = "ghr1.1.2-1.abcdef";

/** Looks as `src/fleet/observe/observe.ts` does, without waiting for an answer. */
export class Eyes {
  readonly #world: World;
  readonly #asked: Record<keyof Pace, number> = { runners: -Infinity, jobs: -Infinity, instances: -Infinity };

  constructor(world: World) {
    this.#world = world;
  }

  nextAt(pace: Pace): number {
    const lists = ["runners", "jobs", "instances"] as const;
    return Math.min(
      ...lists.map((list) => (Number.isFinite(pace[list]) ? this.#asked[list] + pace[list] : pace[list])),
    );
  }

  look(fleet: Fleet, pace: Pace): void {
    const before = statesOf(fleet);
    const isDue = (list: keyof Pace) => this.#world.now >= this.#asked[list] + pace[list];
    if (isDue("runners")) this.#lookAtRunners(fleet);
    if (isDue("instances")) this.#lookAtInstances(fleet);
    if (isDue("jobs") || (Number.isFinite(pace.jobs) && statesOf(fleet) !== before)) this.#lookAtJobs(fleet);
  }

  #lookAtRunners(fleet: Fleet): void {
    const { now } = this.#world;
    this.#asked.runners = now;
    const ids = fleet.machines
      .filter(isAlive)
      .flatMap(({ uses }) => uses.flatMap(({ runnerId, spentAt }) => (spentAt === undefined ? [runnerId] : [])));
    const seen = ids.length === 0 ? undefined : runnersSeen(this.#world, ids);
    if (seen !== undefined) noteRunners(fleet, seen, now);
  }

  #lookAtInstances(fleet: Fleet): void {
    const { now } = this.#world;
    this.#asked.instances = now;
    const instances = instancesSeen(this.#world);
    if (instances === undefined) return;
    noteInstances(fleet, { at: now, prefix: PREFIX, instances, repositoryAlive: instances.length });
  }

  #lookAtJobs(fleet: Fleet): void {
    const { now } = this.#world;
    this.#asked.jobs = now;
    const jobs = jobsSeen(this.#world);
    if (jobs === undefined) fleet.jobsFault ??= { since: now, why: "GitHub could not be asked" };
    else noteJobs(fleet, jobs, now);
  }
}

function statesOf({ machines }: Fleet): string {
  return JSON.stringify(
    machines.map(({ absentSince, uses, verdict }) => [absentSince, verdict?.kind, uses.map(({ runner }) => runner)]),
  );
}
