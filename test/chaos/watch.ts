import { destruction, type InstanceRecord } from "../../simulator/service/rentals/instance-record.ts";
import type { Job, Machine } from "../stories/referee/record.ts";
import { type ChaosWorld, isRunnerOf } from "./open-world.ts";
import type { PlannedRun } from "./simulated.ts";

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

/** A request, as a place's journal has it: GitHub's with a date, and the kind of its fault. */
interface Asked {
  at: number | string;
  fault?: string;
  faults?: readonly string[];
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
  /** When the world began: all that is told counts from then. */
  readonly begun: number;
  readonly #jobNames: readonly string[];
  readonly #maxLifetimeMs: number;
  readonly #session: ChaosWorld["session"];
  readonly #jobs = new Map<string, { shownAt?: number; startedAt?: number; machine?: string | undefined }>();
  readonly #runners = new Map<number, SeenRunner>();
  readonly #timer = setInterval(() => this.look(), LOOK_EVERY_MS);

  constructor(
    { inputs, jobs }: Pick<PlannedRun, "inputs" | "jobs">,
    { begun, session }: Pick<ChaosWorld, "begun" | "session">,
  ) {
    this.#jobNames = jobs.map(({ name }) => name);
    this.#maxLifetimeMs = Number.parseInt(inputs["max-lifetime"] ?? "", 10) * 60_000;
    this.#session = session;
    this.begun = begun;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  /** Notes what GitHub has by now. */
  look(): void {
    const { clock, github } = this.#session.sim;
    const now = clock.now();
    const listed = github.runners();
    for (const { name, runnerName, status } of this.#session.run.jobs()) {
      const seen = this.#jobs.get(name) ?? {};
      this.#jobs.set(name, seen);
      if (status !== "blocked") seen.shownAt ??= now;
      if (status !== "in_progress") continue;
      seen.startedAt ??= now;
      seen.machine ??= listed.find((each) => each.name === runnerName)?.machine;
    }
    this.#noteRunners(listed, now);
  }

  #noteRunners(listed: readonly { id: number; name: string; online: boolean }[], now: number): void {
    const gone = new Set(this.#runners.values());
    for (const { id, name, online } of listed) {
      const seen = this.#runners.get(id) ?? { id, name, goneAt: NEVER };
      if (online) seen.onlineAt ??= now;
      this.#runners.set(id, seen);
      gone.delete(seen);
    }
    for (const runner of gone) runner.goneAt = Math.min(runner.goneAt, now);
  }

  /** What our instances came to. `mainLog`: it says which of them main knew. */
  machines(records: readonly InstanceRecord[], mainLog: string, deaths: readonly Struck[]): Machine[] {
    this.look();
    const { journal } = this.#session.sim.service;
    return records.map((record): Machine => {
      const { createdAt, id, label, visibleAt } = record;
      const text = label ?? "";
      const deadAt = deaths.find((each) => each.id === id && ["outbid", "exited"].includes(each.how))?.at;
      const runners = [...this.#runners.values()].filter(({ name }) => isRunnerOf(name, label));
      // The deadline by its label, or `max-lifetime` after its first runner was online.
      const made = Number(text.split(".").at(-1)) * 1000 - LABEL_SLACK_MS;
      const lives = runners.map(({ onlineAt = NEVER }) => onlineAt - CONNECTS_MS + this.#maxLifetimeMs);
      const deadline = Math.min(made, ...lives);
      return {
        ...{ id, label: text, n: Number(text.split(".").at(-2)), deadline: this.#since(deadline) },
        ...{ createdAt: this.#since(createdAt), visibleAt: this.#since(visibleAt) },
        shownAt: this.#since(listedAfter(journal.of("listInstances"), visibleAt)),
        ...{ deadAt: deadAt ?? NEVER, goneAt: this.#since(destruction(record)?.at ?? NEVER) },
        isTwin: records.find((each) => each.label === label) !== record,
        isLate: !new RegExp(`(?:booting as|made) instance ${id}\\b`).test(mainLog),
        overAt: this.#since(this.#overAt(runners, deadline)),
        billed: this.#billOf(record, deadline),
      };
    });
  }

  /** What the run's GPU jobs came to, on these machines. */
  jobs(records: readonly InstanceRecord[], machines: readonly Machine[], deaths: readonly Struck[]): Job[] {
    const { github, machines: roots } = this.#session.sim;
    return this.#jobNames.map((name, index): Job => {
      const { completedAt, conclusion, runnerName } = this.#session.run.job(name);
      const { machine, shownAt = NEVER, startedAt = NEVER } = this.#jobs.get(name) ?? {};
      const may = records.filter(({ label }) => runnerName !== undefined && isRunnerOf(runnerName, label));
      // Two of one create have the same runner: its listener says on which machine it is.
      const on = may.find(({ id }) => `${roots?.root(id)}/` === machine) ?? may[0];
      const listedAt = this.#since(listedAfter(github.journal.of("listJobs"), shownAt));
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

  #billOf({ createdAt, events, id, offer }: InstanceRecord, deadline: number): { cost: number; hourly: number } {
    const { clock, service } = this.#session.sim;
    const until = events.find(({ kind }) => kind === "destroy")?.at ?? clock.now();
    const share = Math.min(1, (deadline - createdAt) / Math.max(1, until - createdAt));
    return { cost: share * (service.books.bill(id)?.total ?? 0), hourly: offer.dph_base };
  }

  /** A machine without a runner that could begin, after the first had its job or ended without. */
  #overAt(ours: readonly SeenRunner[], deadline: number): number {
    const { github } = this.#session.sim;
    const spent = ours.filter(({ goneAt, id }) => goneAt < NEVER && !github.wasTakenAway(id));
    if (spent.length === 0) return NEVER;
    const lastEnd = Math.max(...spent.map(({ goneAt }) => goneAt));
    // No listener begins with less than half of max-lifetime left.
    if (deadline - lastEnd < this.#maxLifetimeMs / 2) return lastEnd;
    // Listeners run one after another: one that a reboot burnt stays listed, and never begins.
    const after = (one: SeenRunner) => spent.filter(({ id }) => id > one.id).map(({ goneAt }) => goneAt);
    return Math.max(...ours.map((each) => Math.min(each.goneAt, ...after(each))));
  }
}

/** When a list, as it should be, was next asked for. */
function listedAfter(asked: readonly Asked[], at: number): number {
  const whole = asked.filter(({ fault, faults = [] }) => fault === undefined && faults.length === 0);
  return whole.map((each) => new Date(each.at).getTime()).find((each) => each >= at) ?? NEVER;
}
