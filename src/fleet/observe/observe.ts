import { sortJobs } from "../../github/gpu-jobs.ts";
import { UserError } from "../../shared/user-error.ts";
import type { Pace } from "../plan/pace.ts";
import type { Fleet } from "../state/fleet.ts";
import type { FleetRequest } from "../state/fleet-request.ts";
import { isAlive } from "../state/stage.ts";
import type { FleetDeps } from "./fleet-deps.ts";
import { noteJobs, noteRunners } from "./note-github.ts";
import { noteInstances } from "./note-instances.ts";

type List = keyof Pace;

/** A list that takes longer must not keep the loop from its other looks. */
const LIST_WITHIN_MS = 15_000;
/** GitHub may have said to come later, and locks out who goes on asking with a refused token. */
const ASK_AGAIN_MS = { unanswered: 15_000, refused: 60_000 };

/**
 * Asks for the three lists, each when it is due: our runners, our instances, then the jobs, which
 * are asked for at once when the others changed; one request each for the whole fleet.
 */
export class Observer {
  readonly #deps: FleetDeps;
  readonly #request: FleetRequest;
  readonly #asked: Record<List, number> = { runners: -Infinity, jobs: -Infinity, instances: -Infinity };
  readonly #told = new Set<string>();
  /** The runners are not asked about before then, in milliseconds since the epoch. */
  #runnersAgainAt = -Infinity;

  /** `listedAt`: when the instances were listed before the loop began. */
  constructor(deps: FleetDeps, request: FleetRequest, listedAt: number | undefined) {
    this.#deps = deps;
    this.#asked.instances = listedAt ?? -Infinity;
    this.#request = request;
  }

  /** When the next list is due, in milliseconds since the epoch. */
  nextAt(pace: Pace): number {
    return Math.min(...LISTS.filter((list) => Number.isFinite(pace[list])).map((list) => this.#dueAt(list, pace)));
  }

  /** Reads what is due into the fleet. Returns the numbers of the machines whose report changed. */
  async look(fleet: Fleet, pace: Pace): Promise<number[]> {
    const before = statesOf(fleet);
    const isDue = (list: List) => this.#deps.clock.now() >= this.#dueAt(list, pace);
    const changed: number[] = [];
    if (isDue("runners")) changed.push(...(await this.#lookAtRunners(fleet)));
    if (isDue("instances")) changed.push(...(await this.#lookAtInstances(fleet)));
    // GitHub at once when something changed; else at its own pace.
    if (isDue("jobs") || (Number.isFinite(pace.jobs) && statesOf(fleet) !== before))
      changed.push(...(await this.#lookAtJobs(fleet)));
    return changed;
  }

  #dueAt(list: List, pace: Pace): number {
    const at = this.#asked[list] + pace[list];
    return list === "runners" ? Math.max(at, this.#runnersAgainAt) : at;
  }

  async #lookAtRunners(fleet: Fleet): Promise<number[]> {
    const { clock, runners, signal } = this.#deps;
    this.#asked.runners = clock.now();
    const ids = fleet.machines
      .filter(isAlive)
      .flatMap(({ uses }) => uses.flatMap(({ runnerId, spentAt }) => (spentAt === undefined ? [runnerId] : [])));
    if (ids.length === 0) return [];
    const seen = await runners.look(new Set(ids), signal);
    if (seen !== undefined) return noteRunners(fleet, seen, clock.now());
    const why = runners.refusedSince === undefined ? "unanswered" : "refused";
    this.#runnersAgainAt = clock.now() + ASK_AGAIN_MS[why];
    return [];
  }

  async #lookAtInstances(fleet: Fleet): Promise<number[]> {
    const { aliveOfRepository, clock, log, service, signal } = this.#deps;
    this.#asked.instances = clock.now();
    try {
      const instances = await service.list({ signal, until: clock.now() + LIST_WITHIN_MS });
      const repositoryAlive = aliveOfRepository(instances);
      return noteInstances(fleet, { at: clock.now(), prefix: this.#request.prefix, instances, repositoryAlive });
    } catch (error) {
      signal.throwIfAborted();
      // Whatever the service says instead of a list is no evidence about any machine.
      if (!(error instanceof UserError)) throw error;
      this.#tellOnce(error.message, () =>
        log.info(`The service gave no usable answer; asking again. ${error.message}`),
      );
      return [];
    }
  }

  async #lookAtJobs(fleet: Fleet): Promise<number[]> {
    const { clock, listJobs, log, signal, whose } = this.#deps;
    this.#asked.jobs = clock.now();
    try {
      const listed = await listJobs(signal);
      if (listed !== undefined) return noteJobs(fleet, sortJobs(listed, whose), clock.now());
      fleet.jobsFault ??= { since: clock.now(), why: "GitHub could not be asked" };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof UserError) || fleet.jobs === undefined) throw error;
      // Machines work on; a token that fails now must not take them away.
      fleet.jobsFault ??= { since: clock.now(), why: error.message };
      this.#tellOnce(error.message, () => log.warning(error.message));
    }
    return [];
  }

  #tellOnce(text: string, tell: () => void): void {
    if (!this.#told.has(text)) tell();
    this.#told.add(text);
  }
}

const LISTS: readonly List[] = ["runners", "jobs", "instances"];

/** The states whose change has GitHub asked at once. */
function statesOf({ machines }: Fleet): string {
  return JSON.stringify(
    machines.map(({ absentSince, uses, verdict }) => [absentSince, verdict?.kind, uses.map(({ runner }) => runner)]),
  );
}
