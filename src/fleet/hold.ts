import { countJobs, type JobCounts } from "../jobs/job-counts.ts";
import { paced, shortageOf } from "../jobs/pace.ts";
import { TwoLooks } from "../jobs/two-looks.ts";
import { KnownError } from "../known-error.ts";
import { decideWhileRented } from "./decide-while-rented.ts";
import type { Decision } from "./decision.ts";
import { HoldError } from "./holding-errors.ts";
import type { HeldMachine, HoldingDeps } from "./holding-ports.ts";

const MACHINE_INTERVAL_MS = 15_000;
/** A running job changes its list at every step, so that each answer is counted: 60 an hour. */
const RUNNING_INTERVAL_MS = 60_000;
/** An offline runner may come back; one that stays away so long while a job waits is dropped. SPEC-SILENT: GitHub names no figure. */
const OFFLINE_IS_DROPPED_MS = 120_000;

/** What the inputs say of holding. */
export interface HoldOptions {
  hold: "auto" | "true";
  idleTimeoutMs: number;
}

/** How holding ended. `lost`: there is no machine to count on any more, and its runner can take no job. */
export type HoldEnd =
  | { kind: "over"; bad: readonly string[]; url: string | undefined }
  | { kind: "no-job"; warning: string }
  | { kind: "return" }
  | { kind: "lost"; why: string };

/** Holds the machine until the GPU job is over, or until there is nothing to hold. Throws HoldError when this job is to fail. */
export async function hold(deps: HoldingDeps, machine: HeldMachine, options: HoldOptions): Promise<HoldEnd> {
  const watch = new HoldWatch(deps, machine);
  const looks = new TwoLooks();
  for (;;) {
    const facts = await watch.look();
    const decision = decideWhileRented({ ...facts, ...options });
    const confirmed = looks.confirm(decision, deps.clock.now());
    watch.askSoon = confirmed === undefined;
    const end = confirmed && (await act(confirmed, { deps, machine, watch, goneWhy: facts.goneWhy }));
    if (end) return end;
    await deps.clock.sleep(MACHINE_INTERVAL_MS, deps.signal);
  }
}

interface Acting {
  deps: HoldingDeps;
  machine: HeldMachine;
  watch: HoldWatch;
  goneWhy: string;
}

async function act(decision: Decision, acting: Acting): Promise<HoldEnd | undefined> {
  switch (decision.do) {
    case "return":
      return { kind: "return" };
    case "end":
      return { kind: "no-job", warning: decision.warning };
    case "end-with-job":
      return { kind: "over", bad: decision.bad, url: decision.url };
    case "fail":
      throw new HoldError(decision.why, decision.hint);
    case "give-up-idle":
      if (await mayStillWork(acting)) return undefined;
      throw new HoldError(decision.why, decision.hint);
    case "rent-again":
    case "drop-machine":
      return (await mayStillWork(acting)) ? undefined : { kind: "lost", why: acting.goneWhy };
    default:
      acting.watch.warnOnce(decision.do === "hold" ? decision.warning : undefined);
      return undefined;
  }
}

/** Takes the runner away first: only when GitHub says that it is nobody's can no job be on the machine. */
async function mayStillWork({ deps, machine, watch }: Acting): Promise<boolean> {
  const answer = await machine.removeRunner(deps.signal);
  watch.askSoon = true;
  return answer !== "removed";
}

const LOST = { outbid: "it was outbid, and the service stopped it", lost: "the machine was lost" };

/** What one round of looks told. */
interface HoldFacts {
  jobs: JobCounts | undefined;
  machine: "alive" | "gone" | "dropped";
  goneMs: number;
  goneWhy: string;
  isOutbid: boolean;
  idleMs: number;
  lifetimeLeftMs: number;
  cutBy: HeldMachine["cutBy"];
}

/** Asks the service every 15 s, and GitHub at the pace that the table allows; remembers since when things are as they are. */
class HoldWatch {
  /** Ask GitHub at the next look, whatever the pace. */
  askSoon = true;
  readonly #deps: HoldingDeps;
  readonly #machine: HeldMachine;
  #jobs: JobCounts | undefined;
  #jobsAt = Number.NEGATIVE_INFINITY;
  #state: "alive" | "gone" | "dropped" = "alive";
  #goneAt = 0;
  #idleSince: number;
  #offlineSince: number | undefined;
  #told = "";
  readonly #warned = new Set<string>();

  constructor(deps: HoldingDeps, machine: HeldMachine) {
    this.#deps = deps;
    this.#machine = machine;
    this.#idleSince = deps.clock.now();
  }

  async look(): Promise<HoldFacts> {
    const { clock, signal } = this.#deps;
    const seen = await this.#machine.look(signal);
    const before = this.#state;
    if (seen !== "unknown" && !(seen === "alive" && before === "dropped")) this.#setState(seen);
    if (this.askSoon || this.#state !== before || clock.now() - this.#jobsAt >= this.#pace()) await this.#lookAtJobs();
    await this.#lookAtRunner();
    const now = clock.now();
    if (this.#isBusy()) this.#idleSince = now;
    this.#tell();
    return {
      jobs: this.#jobs,
      machine: this.#state,
      goneMs: this.#state === "alive" ? 0 : now - this.#goneAt,
      ...this.#whyGone(),
      idleMs: now - this.#idleSince,
      lifetimeLeftMs: this.#machine.lifetimeLeftMs(),
      cutBy: this.#machine.cutBy,
    };
  }

  #whyGone(): Pick<HoldFacts, "goneWhy" | "isOutbid"> {
    const { isOutbid = false } = this.#machine;
    if (this.#state === "dropped") return { goneWhy: "GitHub dropped its runner", isOutbid: false };
    return { goneWhy: LOST[isOutbid ? "outbid" : "lost"], isOutbid };
  }

  /** Shows a warning the first time that it is given. */
  warnOnce(warning: string | undefined): void {
    if (warning === undefined || this.#warned.has(warning)) return;
    this.#warned.add(warning);
    this.#deps.log.warning(warning);
  }

  #setState(state: "alive" | "gone" | "dropped"): void {
    if (state !== this.#state) this.#goneAt = this.#deps.clock.now();
    this.#state = state;
  }

  /** While GitHub can't be asked, too, as seldom as it is while each answer is counted. */
  #pace(): number {
    return paced(this.#jobs?.running === 0 ? MACHINE_INTERVAL_MS : RUNNING_INTERVAL_MS, this.#deps);
  }

  #isBusy(): boolean {
    return this.#jobs !== undefined && this.#jobs.waiting + this.#jobs.running > 0;
  }

  async #lookAtJobs(): Promise<void> {
    const { clock, listJobs, signal, whose } = this.#deps;
    try {
      const listed = await listJobs(signal);
      this.#jobs = listed && countJobs(listed, whose());
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof KnownError)) throw error;
      // The machine works on; a token that fails now must not take it away.
      this.#jobs = undefined;
      this.warnOnce(error.message);
    }
    this.#jobsAt = clock.now();
    this.warnOnce(shortageOf(this.#deps));
  }

  /** Only a job that waits beside a machine that lives makes the runner's own state matter. */
  async #lookAtRunner(): Promise<void> {
    const waits = this.#jobs !== undefined && this.#jobs.waiting > 0 && this.#jobs.running === 0;
    if (!waits || this.#state !== "alive") return;
    const { clock, signal } = this.#deps;
    const status = await this.#machine.runner(signal);
    this.#offlineSince = status === "offline" ? (this.#offlineSince ?? clock.now()) : undefined;
    const isAway = this.#offlineSince !== undefined && clock.now() - this.#offlineSince >= OFFLINE_IS_DROPPED_MS;
    if (status === "gone" || isAway) this.#setState("dropped");
  }

  #tell(): void {
    const jobs = this.#jobs;
    const seen = jobs
      ? `GPU job: ${jobs.waiting} waiting, ${jobs.running} running, ${jobs.completed.length} over`
      : "GPU job: unknown";
    const line = `${seen}. Machine: ${this.#state}.`;
    if (line !== this.#told) this.#deps.log.info(jobs?.url ? `${line} ${jobs.url}` : line);
    this.#told = line;
  }
}
