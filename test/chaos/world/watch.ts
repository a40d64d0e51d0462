import { destruction, type InstanceRecord } from "../../../simulator/service/rentals/instance-record.ts";
import type { SimulatedSession } from "../../support/simulated-session.ts";
import type { PlannedRun } from "../planned-run.ts";
import type { InstanceFacts, JobFacts } from "../run-facts.ts";

/** So much later than a machine's deadline its label expires. */
const LABEL_SLACK_MS = 15 * 60_000;
/** A machine counts from the start of its first listener, which is online so much later at most. */
const CONNECTS_MS = 15_000;
const LOOK_EVERY_MS = 10;

interface SeenRunner {
  id: number;
  name: string;
  onlineAt?: number;
  /** GitHub lists it no more since then. */
  goneAt?: number;
}

/** Sees what the books don't keep: when GitHub showed and began jobs, and last listed runners. */
export class Watch implements Disposable {
  readonly #plan: PlannedRun;
  readonly #session: SimulatedSession;
  readonly #jobs = new Map<string, { shownAt?: number; startedAt?: number; machine?: string | undefined }>();
  readonly #runners = new Map<number, SeenRunner>();
  readonly #timer = setInterval(() => this.#look(), LOOK_EVERY_MS);

  constructor(plan: PlannedRun, session: SimulatedSession) {
    this.#plan = plan;
    this.#session = session;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  jobs(instances: readonly InstanceRecord[]): JobFacts[] {
    this.#look();
    const root = ({ id }: InstanceRecord) => `${this.#session.sim.machines?.root(id)}/`;
    return this.#plan.jobs.map(({ name }): JobFacts => {
      const { completedAt, conclusion, runnerName } = this.#session.run.job(name);
      const { shownAt, startedAt, machine } = this.#jobs.get(name) ?? {};
      const may = instances.filter(({ label }) => runnerName !== undefined && isRunnerOf(runnerName, label));
      // Two of one create have the same runner: its listener says on which machine it is.
      const on = may.find((each) => root(each) === machine) ?? may[0];
      const listedAt = shownAt === undefined ? undefined : this.#listedAfter(shownAt);
      const end = { endedAt: completedAt ?? undefined, conclusion: conclusion ?? undefined };
      return { name, shownAt, listedAt, startedAt, ...end, instanceId: on?.id };
    });
  }

  /** `mainLog`: it says which instances main knew. */
  instances(records: readonly InstanceRecord[], mainLog: string): InstanceFacts[] {
    this.#look();
    return records.map((record): InstanceFacts => {
      const { id, createdAt, visibleAt, label } = record;
      const isKnown = new RegExp(`(?:booting as|made) instance ${id}\\b`).test(mainLog);
      const end = destruction(record);
      const deadline = this.#deadlineOf(label);
      const gone = { goneAt: end?.at, goneBy: end?.by };
      return {
        id,
        label: label ?? "",
        createdAt,
        visibleAt,
        ...gone,
        isKnown,
        overAt: this.#overAt(label, deadline),
        deadline,
        ...this.#costOf(record, deadline),
      };
    });
  }

  /** The deadline by its label, or `max-lifetime` after its first runner was online. */
  #deadlineOf(label: string | null): number {
    const made = Number(label?.split(".").at(-1)) * 1000 - LABEL_SLACK_MS;
    const ours = [...this.#runners.values()].filter(({ name }) => isRunnerOf(name, label));
    const lives = ours.map(({ onlineAt = Number.POSITIVE_INFINITY }) => onlineAt - CONNECTS_MS + this.#maxLifetime());
    return Math.min(made, ...lives);
  }

  /** When a list of jobs, as it should be, was next asked for. */
  #listedAfter(at: number): number | undefined {
    const asked = this.#session.sim.github.journal.of("listJobs").filter(({ fault }) => fault === undefined);
    return asked.map((entry) => Date.parse(entry.at)).find((each) => each >= at);
  }

  #costOf(record: InstanceRecord, deadline: number): Pick<InstanceFacts, "cost" | "hourly"> {
    const { createdAt, id, offer } = record;
    const until = destruction(record)?.at ?? this.#session.sim.clock.now();
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
      const seen = this.#runners.get(id) ?? { id, name };
      if (online) seen.onlineAt ??= now;
      this.#runners.set(id, seen);
    }
    for (const runner of this.#runners.values()) if (!ids.has(runner.id)) runner.goneAt ??= now;
  }

  /** A machine without a runner that could begin, after the first had its job or ended without. */
  #overAt(label: string | null, deadline: number): number | undefined {
    const ours = [...this.#runners.values()].filter(({ name }) => isRunnerOf(name, label));
    const spent = ours.filter(({ id, goneAt }) => goneAt !== undefined && !this.#session.sim.github.wasTakenAway(id));
    if (spent.length === 0) return undefined;
    const lastEnd = Math.max(...spent.map(endOf));
    // Listeners run one after another: one that a reboot burnt stays listed, and never begins.
    const ends = ours.map((each) => Math.min(endOf(each), ...spent.filter(({ id }) => id > each.id).map(endOf)));
    // No listener begins with less than half of max-lifetime left.
    if (deadline - lastEnd < this.#maxLifetime() / 2) return lastEnd;
    return ends.every(Number.isFinite) ? Math.max(...ends) : undefined;
  }

  #maxLifetime(): number {
    return Number.parseInt(this.#plan.inputs["max-lifetime"] ?? "120", 10) * 60_000;
  }
}

function endOf({ goneAt = Number.POSITIVE_INFINITY }: SeenRunner): number {
  return goneAt;
}

/** `gpu-4711-1-USE-N` or `…-N-K` is a runner of `ghr1.REPOSITORY.4711-1.USE.N.EXPIRY`. */
export function isRunnerOf(runnerName: string, label: string | null): boolean {
  const [, , run, session, n] = (label ?? "").split(".");
  const name = `gpu-${run}-${session}-${n}`;
  return runnerName === name || runnerName.startsWith(`${name}-`);
}
