import { destruction, type InstanceRecord } from "../../../simulator/service/rentals/instance-record.ts";
import type { Job, Machine } from "../../stories/referee/record.ts";
import type { SimulatedSession } from "../../support/simulated-session.ts";
import type { PlannedRun } from "../planned-run.ts";

/** So much later than a machine's deadline its label expires. */
const LABEL_SLACK_MS = 15 * 60_000;
/** A machine counts from the start of its first listener, which is online so much later at most. */
const CONNECTS_MS = 15_000;
const LOOK_EVERY_MS = 10;
const NEVER = Number.POSITIVE_INFINITY;
/** Deaths that end the container, or start it anew: no job is on it any more, whatever GitHub lists. */
const HALTS: readonly string[] = ["outbid", "rebooted", "offline", "back-online", "exited"];

/** A machine's death, when it came. */
export interface Struck {
  at: number;
  how: string;
  id: number;
}

interface SeenRunner {
  id: number;
  name: string;
  onlineAt?: number;
  /** GitHub lists it no more since then. */
  goneAt: number;
}

/** Sees what the books don't keep: when GitHub began jobs, and last listed runners. */
export class Watch implements Disposable {
  readonly #plan: PlannedRun;
  readonly #session: SimulatedSession;
  readonly #jobs = new Map<string, { shownAt?: number; startedAt?: number; machine?: string | undefined }>();
  readonly #runners = new Map<number, SeenRunner>();
  readonly #timer = setInterval(() => this.#look(), LOOK_EVERY_MS);
  /** When the world began: all that is told counts from then. */
  readonly begun: number;

  constructor(plan: PlannedRun, session: SimulatedSession, begun: number) {
    this.#plan = plan;
    this.#session = session;
    this.begun = begun;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  /** What our instances came to. `mainLog`: it says which of them main knew. */
  machines(records: readonly InstanceRecord[], mainLog: string, deaths: readonly Struck[]): Machine[] {
    this.#look();
    return records.map((record): Machine => {
      const { id, label } = record;
      const text = label ?? "";
      const end = destruction(record);
      const deadAt = deaths.find((each) => each.id === id && ["outbid", "exited"].includes(each.how))?.at;
      const deadline = this.#deadlineOf(label);
      return {
        ...{ id, label: text, n: Number(text.split(".").at(-2)), deadline: this.#since(deadline) },
        ...{ createdAt: this.#since(record.createdAt), visibleAt: this.#since(record.visibleAt) },
        ...{ shownAt: this.#since(this.#listedAfter("listInstances", record.visibleAt)) },
        ...{ deadAt: deadAt ?? NEVER, goneAt: this.#since(end?.at ?? NEVER) },
        isTwin: records.find((each) => each.label === label) !== record,
        isLate: !new RegExp(`(?:booting as|made) instance ${id}\\b`).test(mainLog),
        overAt: this.#since(this.#overAt(label, deadline)),
        billed: this.#billOf(record, deadline),
      };
    });
  }

  /** What the run's GPU jobs came to, on these machines. */
  jobs(records: readonly InstanceRecord[], machines: readonly Machine[], deaths: readonly Struck[]): Job[] {
    const root = ({ id }: InstanceRecord) => `${this.#session.sim.machines?.root(id)}/`;
    return this.#plan.jobs.map(({ name }, index): Job => {
      const { completedAt, conclusion, runnerName } = this.#session.run.job(name);
      const { machine, shownAt = NEVER, startedAt = NEVER } = this.#jobs.get(name) ?? {};
      const may = records.filter(({ label }) => runnerName !== undefined && isRunnerOf(runnerName, label));
      // Two of one create have the same runner: its listener says on which machine it is.
      const on = may.find((each) => root(each) === machine) ?? may[0];
      const listedAt = this.#since(this.#listedAfter("listJobs", shownAt));
      const [began, overAt] = [this.#since(startedAt), this.#since(completedAt ?? NEVER)];
      const halt = deaths.find(({ at, how, id }) => id === on?.id && HALTS.includes(how) && at < overAt);
      return {
        ...{ id: index, name, appearedAt: listedAt, shownAt: listedAt, startedAt: began, overAt },
        ...{ conclusion: conclusion ?? undefined, lostAt: halt?.at },
        box: machines.find(({ id }) => id === on?.id),
      };
    });
  }

  #since(at: number): number {
    return at - this.begun;
  }

  /** The deadline by its label, or `max-lifetime` after its first runner was online. */
  #deadlineOf(label: string | null): number {
    const made = Number(label?.split(".").at(-1)) * 1000 - LABEL_SLACK_MS;
    const lives = this.#runnersOf(label).map(({ onlineAt = NEVER }) => onlineAt - CONNECTS_MS + this.#maxLifetime());
    return Math.min(made, ...lives);
  }

  #runnersOf(label: string | null): SeenRunner[] {
    return [...this.#runners.values()].filter(({ name }) => isRunnerOf(name, label));
  }

  /** When a list, as it should be, was next asked for. */
  #listedAfter(operation: "listJobs" | "listInstances", at: number): number {
    const { github, service } = this.#session.sim;
    const ofGithub = github.journal.of(operation).filter(({ fault }) => fault === undefined);
    const ofService = service.journal.entries.filter(
      (each) => each.operation === operation && each.faults.length === 0,
    );
    const asked = [...ofGithub.map((each) => Date.parse(each.at)), ...ofService.map((each) => each.at)];
    return asked.find((each) => each >= at) ?? NEVER;
  }

  #billOf({ createdAt, events, id, offer }: InstanceRecord, deadline: number): { cost: number; hourly: number } {
    const until = events.find(({ kind }) => kind === "destroy")?.at ?? this.#session.sim.clock.now();
    const share = Math.min(1, (deadline - createdAt) / Math.max(1, until - createdAt));
    return { cost: share * (this.#session.sim.service.books.bill(id)?.total ?? 0), hourly: offer.dph_base };
  }

  #look(): void {
    const now = this.#session.sim.clock.now();
    const machines = new Map(this.#session.sim.github.runners().map(({ machine, name }) => [name, machine]));
    for (const { name, runnerName = "", status } of this.#session.run.jobs()) {
      const seen = this.#jobs.get(name) ?? {};
      if (status !== "blocked") seen.shownAt ??= now;
      if (status === "in_progress") {
        seen.startedAt ??= now;
        seen.machine ??= machines.get(runnerName);
      }
      this.#jobs.set(name, seen);
    }
    this.#lookAtRunners(now);
  }

  #lookAtRunners(now: number): void {
    const listed = this.#session.sim.github.runners();
    const ids = new Set(listed.map(({ id }) => id));
    for (const { id, name, online } of listed) {
      const seen = this.#runners.get(id) ?? { id, name, goneAt: NEVER };
      if (online) seen.onlineAt ??= now;
      this.#runners.set(id, seen);
    }
    for (const runner of this.#runners.values()) if (!ids.has(runner.id)) runner.goneAt = Math.min(runner.goneAt, now);
  }

  /** A machine without a runner that could begin, after the first had its job or ended without. */
  #overAt(label: string | null, deadline: number): number {
    const ours = this.#runnersOf(label);
    const isSpent = ({ goneAt, id }: SeenRunner) => goneAt < NEVER && !this.#session.sim.github.wasTakenAway(id);
    const spent = ours.filter(isSpent);
    if (spent.length === 0) return NEVER;
    const lastEnd = Math.max(...spent.map(({ goneAt }) => goneAt));
    // No listener begins with less than half of max-lifetime left.
    if (deadline - lastEnd < this.#maxLifetime() / 2) return lastEnd;
    // Listeners run one after another: one that a reboot burnt stays listed, and never begins.
    const after = (one: SeenRunner) => spent.filter(({ id }) => id > one.id).map(({ goneAt }) => goneAt);
    return Math.max(...ours.map((each) => Math.min(each.goneAt, ...after(each))));
  }

  #maxLifetime(): number {
    return Number.parseInt(this.#plan.inputs["max-lifetime"] ?? "120", 10) * 60_000;
  }
}

/** `gpu-4711-1-USE-N` or `…-N-K` is a runner of `ghr1.REPOSITORY.4711-1.USE.N.EXPIRY`. */
export function isRunnerOf(runnerName: string, label: string | null): boolean {
  const [, , run, session, n] = (label ?? "").split(".");
  const name = `gpu-${run}-${session}-${n}`;
  return runnerName === name || runnerName.startsWith(`${name}-`);
}
