import { type Job, sortJobs } from "../github/jobs.ts";
import { judgeInstance } from "../machine/instance.ts";
import { hasPrefix, readLabel } from "../machine/label.ts";
import type { Instance } from "../marketplace/marketplace.ts";
import { oneLine } from "../shared/foreign-text.ts";
import { UserError } from "../shared/user-error.ts";
import type { FleetDeps } from "./deps.ts";
import type { FleetEvent } from "./events.ts";
import { LATE } from "./lifecycle/late.ts";
import type { FleetRequest } from "./options.ts";
import { type Pace, slotsToLookAt } from "./pace.ts";
import { machineFacts, machineOf } from "./stage.ts";
import type { Fleet, ListedInstance } from "./state.ts";

type List = keyof Pace;
const LISTS: readonly List[] = ["runners", "jobs", "instances"];

/** When to ask GitHub again after it refused the token: it locks out clients that repeat one. */
const REFUSED_AGAIN_MS = 60_000;

/**
 * Reads the three lists, each when it is due: runners, instances, and jobs. It reads the jobs at
 * once when one of the others changed. Each list is one request for the whole fleet, and what a
 * list lacks is asked for by its id.
 */
export class Observer {
  readonly #deps: FleetDeps;
  readonly #request: FleetRequest;
  readonly #hide: (machineNo: number, text: string) => string;
  readonly #asked: Record<List, number> = { runners: -Infinity, jobs: -Infinity, instances: -Infinity };
  readonly #logged = new Set<string>();
  /** When the runners may be asked for again, in milliseconds since the epoch. */
  #runnersAgainAt = -Infinity;

  /** `hide` takes a machine's secrets out of a text. `listedAt`: when the instances were listed before the loop. */
  constructor(
    deps: FleetDeps,
    request: FleetRequest,
    hide: (machineNo: number, text: string) => string,
    listedAt: number | undefined,
  ) {
    this.#deps = deps;
    this.#request = request;
    this.#hide = hide;
    this.#asked.instances = listedAt ?? -Infinity;
  }

  /** Returns when the next list is due, in milliseconds since the epoch. */
  nextAt(pace: Pace): number {
    return Math.min(...LISTS.filter((list) => Number.isFinite(pace[list])).map((list) => this.#dueAt(list, pace)));
  }

  /** Reads the lists that are due, side by side, so that they are equally old. Hands each answer to `apply` as an event. */
  async look(fleet: Fleet, pace: Pace, apply: (event: FleetEvent) => void): Promise<void> {
    const before = statesOf(fleet);
    const isDue = (list: List) => this.#deps.clock.now() >= this.#dueAt(list, pace);
    const lookAtJobs = async () => apply(await this.#lookAtJobs(fleet));
    const isJobsDue = isDue("jobs");
    const looks = [
      isDue("runners") && this.#lookAtRunners(fleet, apply),
      isDue("instances") && this.#lookAtInstances(fleet, apply),
      isJobsDue && lookAtJobs(),
    ];
    // None may be left under way.
    for (const look of await Promise.allSettled(looks)) if (look.status === "rejected") throw look.reason;
    // A change elsewhere makes the jobs worth a request at once.
    if (!isJobsDue && Number.isFinite(pace.jobs) && statesOf(fleet) !== before) await lookAtJobs();
  }

  #dueAt(list: List, pace: Pace): number {
    const at = this.#asked[list] + pace[list];
    return list === "runners" ? Math.max(at, this.#runnersAgainAt) : at;
  }

  async #lookAtRunners(fleet: Fleet, apply: (event: FleetEvent) => void): Promise<void> {
    const { clock, runners, signal } = this.#deps;
    const askedAt = clock.now();
    this.#asked.runners = askedAt;
    const ids = slotsToLookAt(fleet).map(({ runnerId }) => runnerId);
    if (ids.length === 0) return;
    const seen = await runners.look(new Set(ids), signal);
    if (seen !== undefined) {
      apply({ kind: "RunnersListed", askedAt, at: clock.now(), runners: Object.fromEntries(seen) });
      return;
    }
    apply({ kind: "RunnersUnreadable", askedAt, at: clock.now() });
    // It may have asked for a pause.
    this.#runnersAgainAt = clock.now() + (runners.refusedSince === undefined ? LATE.lookAgain : REFUSED_AGAIN_MS);
  }

  async #lookAtInstances(fleet: Fleet, apply: (event: FleetEvent) => void): Promise<void> {
    const { aliveOfRepository, clock, log, service, signal } = this.#deps;
    const askedAt = clock.now();
    this.#asked.instances = askedAt;
    try {
      // One list must not keep the loop from its other looks.
      const until = askedAt + LATE.lookAgain;
      const listed = await service.list({ signal, until });
      const { gone, shown } = await this.#askBack(fleet, listed, until);
      const all = [...listed, ...shown];
      // A list may show for a while what is destroyed.
      const over = fleet.machines.flatMap(({ instances }) => instances.filter(({ goneAt }) => goneAt !== undefined));
      const alive = aliveOfRepository(all).filter((id) => !over.some((each) => each.id === id));
      const repositoryAlive = alive.length;
      const instances = all.flatMap((instance) => {
        const older = alive.filter((id) => id < instance.id).length;
        return this.#ours(fleet, instance, older) ?? [];
      });
      const { aheadMs } = service;
      apply({ kind: "InstancesListed", askedAt, at: clock.now(), instances, gone, repositoryAlive, aheadMs });
    } catch (error) {
      signal.throwIfAborted();
      // An answer that is no list is no evidence about any machine.
      if (!(error instanceof UserError)) throw error;
      this.#logOnce(error.message, () => log.info(`The service gave no usable answer; asking again. ${error.message}`));
    }
  }

  /** Asks by id for each instance that the list lacks. Only the service's own word proves an absence. */
  async #askBack(fleet: Fleet, listed: readonly Instance[], until: number) {
    const ids = new Set(listed.map(({ id }) => id));
    const missing = fleet.machines.flatMap((machine) => machineFacts(machine).alive).filter(({ id }) => !ids.has(id));
    const gone: number[] = [];
    const shown: Instance[] = [];
    for (const { id } of missing) {
      const answer = await this.#lookAtInstance(id, until);
      if (answer === "gone") gone.push(id);
      else if (answer !== undefined) shown.push(answer);
    }
    return { gone, shown };
  }

  async #lookAtInstance(id: number, until: number): Promise<Instance | "gone" | undefined> {
    const { service, signal } = this.#deps;
    try {
      return await service.get(id, { signal, until });
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof UserError)) throw error;
      return undefined;
    }
  }

  /** Returns our own fields of an instance. Undefined: it is not of this session. */
  #ours(fleet: Fleet, instance: Instance, older: number): ListedInstance | undefined {
    const { id, isInterruptible, label = "", ssh, startedAt, state, traffic, usdPerHour } = instance;
    const known = fleet.machines.find(({ instances }) => instances.some((each) => each.id === id));
    const isLabelled = hasPrefix(label, this.#request.prefix);
    const machineNo = known?.machineNo ?? (isLabelled ? readLabel(label)?.machineNo : undefined);
    if (machineNo === undefined) return undefined;
    const machine = machineOf(fleet, machineNo);
    const verdict = judgeInstance(instance, isInterruptible ?? machine?.candidate.price.bid !== undefined);
    const hidden = (text: string) => oneLine(this.#hide(machineNo, text));
    const why = verdict.kind === "failed" ? { why: hidden(verdict.why) } : {};
    const says = verdict.kind === "pending" && verdict.says !== undefined ? { says: hidden(verdict.says) } : {};
    return {
      id,
      machineNo,
      verdict: { ...verdict, ...why, ...says },
      isSilent: state === "silent",
      address: ssh,
      startedAt,
      traffic,
      usdPerHour,
      older,
    };
  }

  async #lookAtJobs(fleet: Fleet): Promise<FleetEvent> {
    const { clock, listJobs, log, signal, whose } = this.#deps;
    const askedAt = clock.now();
    this.#asked.jobs = askedAt;
    let why = "GitHub could not be asked";
    try {
      const listed = await this.#withMissing(fleet, await listJobs(signal));
      if (listed !== undefined) return { kind: "JobsListed", askedAt, at: clock.now(), jobs: sortJobs(listed, whose) };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof UserError) || (fleet.jobs === undefined && fleet.machines.length === 0)) throw error;
      // Machines work on. A token that fails now must not take them away.
      why = error.message;
      this.#logOnce(why, () => log.warning(why));
    }
    return { kind: "JobsUnreadable", askedAt, at: clock.now(), why };
  }

  /** Adds our jobs that were listed before and are missing now, each asked for by its id. */
  async #withMissing(fleet: Fleet, listed: readonly Job[] | undefined): Promise<readonly Job[] | undefined> {
    if (listed === undefined) return undefined;
    const ids = new Set(listed.map(({ id }) => id));
    const all = [...listed];
    for (const { id } of fleet.jobs?.ours ?? []) {
      if (ids.has(id)) continue;
      const job = await this.#deps.lookAtJob(id, this.#deps.signal);
      if (job === undefined) return undefined;
      if (job !== "gone") all.push(job);
    }
    return all;
  }

  #logOnce(text: string, write: () => void): void {
    if (!this.#logged.has(text)) write();
    this.#logged.add(text);
  }
}

/** Returns the states whose change makes GitHub's jobs worth a request at once. */
function statesOf({ machines }: Fleet): string {
  return JSON.stringify(
    machines.map((machine) => {
      const { absentSince, verdict } = machineFacts(machine).instance ?? {};
      return [absentSince, verdict?.kind, machine.slots.map(({ runner }) => runner)];
    }),
  );
}
