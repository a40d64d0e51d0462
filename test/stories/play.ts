import type { Log } from "../../src/shared/log.ts";
import { UserError } from "../../src/shared/user-error.ts";
import { HandWoundClock } from "../unit/support/hand-wound-clock.ts";
import { clockThatJumps } from "./clock-of-main.ts";
import { type DrivenMain, driveFirstSweep, driveMain, driveSweep, type MainEnd, type RunSeen } from "./drive.ts";
import { drivePost } from "./drive-post.ts";
import { Faults } from "./fault.ts";
import { GithubInWorld } from "./github.ts";
import { MarketInWorld } from "./market.ts";
import { PREFIX } from "./names.ts";
import { OtherRun } from "./other-run.ts";
import { type Mutation, type Outside, Written } from "./outside.ts";
import type { Driven, Phase } from "./referee/record.ts";
import { Referee } from "./referee/referee.ts";
import type { Broken } from "./referee/rule.ts";
import { isUnwritable } from "./referee/truth.ts";
import type { Death, Story } from "./story.ts";
import { World } from "./world.ts";

/** How a story went. */
export interface Played {
  /** Undefined: main was ended by another hand, or by the referee. */
  end: MainEnd | undefined;
  world: World;
  remembered: readonly string[];
  broken: readonly Broken[];
}

/** Nobody waits for it. */
const STOPPED = new Error("The referee has seen enough.");
const MINUTE_MS = 60_000;
const HALF_A_DAY_MS = 43_200_000;
const CANCELLED = new Error("cancelled");
const SAID_NOTHING = { named: [], undestroyed: [] };

/** Plays main and post of one story in simulated time, up to the first broken rule. */
export async function play(story: Story, mutation?: Mutation): Promise<Played> {
  return await new Player(story, mutation).play();
}

class Player {
  readonly #story: Story;
  readonly #mutation: Mutation | undefined;
  readonly #clock = new HandWoundClock();
  readonly #cancel = new AbortController();
  readonly #written: Written;
  readonly #others: OtherRun[];
  readonly #end = new AbortController();
  readonly #world: World;
  readonly #faults: Faults;
  readonly #referee: Referee;
  readonly #market: MarketInWorld;
  readonly #github: GithubInWorld;
  readonly #remembered: string[] = [];
  #requests = 0;
  readonly #killed = Promise.withResolvers<undefined>();
  #isKilled = false;
  #isCancelled = false;

  constructor(story: Story, mutation: Mutation | undefined) {
    this.#story = story;
    this.#mutation = mutation;
    const account: World[] = [];
    this.#world = new World(story, account);
    this.#written = new Written(() => !isUnwritable(this.#world, this.#clock.elapsed));
    this.#others = Array.from({ length: story.otherRuns }, (_, nth) => new OtherRun(story, this.#clock, nth, account));
    this.#faults = new Faults(story.faults);
    this.#referee = new Referee(this.#world, this.#driven());
    const hears = this.#referee.hears.bind(this.#referee);
    this.#market = new MarketInWorld(this.#world, this.#clock, this.#faults, hears);
    this.#github = new GithubInWorld(this.#world, this.#clock.start, this.#faults, hears);
  }

  /** What the referee can't see of the world. */
  #driven(): Driven {
    const { hosts } = this.#story;
    return {
      faults: this.#faults,
      world: this.#world,
      blurMs: 0,
      isKnown: ({ id, n }) => this.#written.ledger.created.get(n) === id,
      isPending: ({ label, n }) => this.#written.ledger.pending.get(n) === label,
      mayGiveUp: () => this.#faults.met.length > 0 || hosts.some(({ destroyS }) => destroyS > 60),
    };
  }

  async play(): Promise<Played> {
    if (this.#story.sweepsFirst) await this.#sweep("open", "first sweep");
    this.#begins("main");
    for (const other of this.#others) other.start(this.#prefixes, this.#end.signal);
    const driven = await this.#main();
    const end = driven?.end;
    if (driven !== undefined) await this.#conclude(driven);
    this.#world.advance(this.#clock.elapsed);
    if (!this.#isBroken && (this.#story.death?.hasPost ?? true)) await this.#post(end);
    if (!this.#isBroken && this.#story.death !== undefined) await this.#sweeps(this.#story.death);
    this.#end.abort(new Error("The story is over."));
    return { end, world: this.#world, remembered: this.#remembered, broken: this.#referee.eye.broken };
  }

  get #isBroken(): boolean {
    return this.#referee.eye.broken.length > 0;
  }

  #begins(phase: Phase): void {
    this.#referee.hears({ what: "begins", phase });
  }

  get #prefixes(): string[] {
    return [PREFIX, ...this.#others.map(({ prefix }) => prefix)];
  }

  async #main(): Promise<DrivenMain | undefined> {
    const clock = clockThatJumps(this.#clock, this.#story.clockJump);
    const outside = { ...this.#outside(this.#cancel.signal, (ask) => this.#asMain(ask)), clock };
    return await this.#clock.run(Promise.race([driveMain(outside, this.#story), this.#killed.promise]));
  }

  /** The end of main's loop, and what it does after that if it has failed. */
  async #conclude({ conclude, end }: DrivenMain): Promise<void> {
    this.#world.advance(this.#clock.elapsed);
    this.#world.note(`main ends: ${end.kind} ${end.error?.name ?? "well"}: ${end.error?.message ?? ""}`);
    const wasCut = this.#referee.eye.phase !== "main";
    const isGreen = wasCut ? undefined : end.error === undefined;
    const named = [...end.bad, ...end.lost];
    if (!this.#isBroken)
      this.#referee.hears({ what: "ends", stage: "main", isGreen, verdict: end, named, undestroyed: [] });
    if (this.#isBroken) return;
    if (!wasCut) this.#begins("failing");
    await this.#clock.run(Promise.race([conclude(), this.#killed.promise]));
  }

  async #post(end: MainEnd | undefined): Promise<void> {
    const wasMain = this.#referee.eye.phase;
    this.#begins("post");
    let requests = 0;
    let kill = () => {};
    const killed = new Promise<undefined>((resolve) => {
      kill = () => resolve(undefined);
    });
    const outside = this.#outside(new AbortController().signal, async (ask) => {
      requests += 1;
      this.#referee.hears({ what: "asks" });
      if (requests < (this.#story.death?.postRequest ?? Number.POSITIVE_INFINITY)) return await this.#ask(ask);
      kill();
      return await never();
    });
    const isStopped = wasMain === "cancelled" && this.#story.death?.kind !== "killed";
    const jobStatus = isStopped ? "cancelled" : end?.error === undefined ? "success" : "failure";
    const posting = drivePost({ ...outside, jobStatus }, this.#story);
    const postEnd = await this.#clock.run(Promise.race([posting, killed]));
    this.#world.advance(this.#clock.elapsed);
    if (postEnd === undefined) return this.#world.note("post is killed");
    this.#world.note(`post ends: ${postEnd.error?.message ?? "well"}`);
    const { error, undestroyed } = postEnd;
    const isGreen = error === undefined && undestroyed.length === 0;
    this.#referee.hears({ what: "ends", stage: "post", isGreen, named: [], undestroyed });
  }

  /** While a job runs its run is open; then none of the machines ends itself. */
  async #sweeps({ isDoubted }: Death): Promise<void> {
    // Nobody sweeps before lists show what there is.
    await this.#clock.advance(MINUTE_MS);
    this.#world.advance(this.#clock.elapsed);
    if (this.#world.running().length > 0) await this.#sweep("open");
    for (const { host } of this.#world.boxes) host.isFrozen = true;
    await this.#sweep(isDoubted ? "unknown" : "over");
    if (isDoubted) {
      await this.#clock.advance(HALF_A_DAY_MS);
      await this.#sweep("unknown");
    }
    if (!this.#isBroken)
      this.#referee.hears({ what: "ends", stage: "sweep", isGreen: undefined, isLast: true, ...SAID_NOTHING });
  }

  async #sweep(ours: RunSeen, phase: "first sweep" | "sweep" = "sweep"): Promise<void> {
    this.#world.advance(this.#clock.elapsed);
    this.#referee.hears({ what: "begins", phase, isRunOver: ours !== "open" });
    this.#world.note(`a sweep begins, the run is ${ours}`);
    const ahead = clockThatJumps(this.#clock, { atS: 0, byS: this.#story.sweepAheadS });
    const outside = { ...this.#outside(new AbortController().signal, (ask) => this.#ask(ask)), clock: ahead };
    const sweeping = phase === "sweep" ? driveSweep(outside, ours) : driveFirstSweep(outside);
    await this.#clock.run(sweeping).catch((error: unknown) => {
      if (!(error instanceof UserError)) throw error;
      this.#world.note(`the sweep fails: ${error.message}`);
    });
    this.#world.advance(this.#clock.elapsed);
  }

  async #ask<T>(ask: () => T | Promise<T>): Promise<T> {
    this.#world.advance(this.#clock.elapsed);
    return await ask();
  }

  #outside(signal: AbortSignal, through: <T>(ask: () => T | Promise<T>) => Promise<T>): Outside {
    return {
      clock: this.#clock,
      signal,
      ...{ prefix: PREFIX, prefixes: this.#prefixes, jobStatus: "success" },
      log: this.#log(),
      askService: (outgoing) => through(() => this.#market.serve(outgoing)),
      askGithub: (asks) =>
        through(async () => {
          const said = this.#github.serve(asks);
          const takes = this.#github.takes(asks);
          if (takes > 0) await this.#clock.sleep(takes);
          return said;
        }),
      remember: (kind, machine) => {
        this.#remembered.push(`${kind} ${machine}`);
        this.#world.advance(this.#clock.elapsed);
        this.#referee.hears({ what: "remembers", kind, host: machine });
      },
      writes: this.#written,
      mutation: this.#mutation,
    };
  }

  /** A request of main, which may be its last. */
  async #asMain<T>(ask: () => T | Promise<T>): Promise<T> {
    if (this.#isKilled) return await never();
    this.#requests += 1;
    this.#world.advance(this.#clock.elapsed);
    this.#referee.hears({ what: "asks" });
    if (this.#isBroken) this.#stop(STOPPED);
    const { death } = this.#story;
    if (death === undefined || !this.#isDeathNow(death)) return await ask();
    if (!death.isAfter) return await this.#die(death.kind, ask);
    const answer = await ask();
    return await this.#die(death.kind, () => answer);
  }

  #isDeathNow({ afterStartS = Number.POSITIVE_INFINITY, request }: Death): boolean {
    const startedAt = Math.min(...this.#world.jobs.filter(({ box }) => box !== undefined).map((job) => job.startedAt));
    return this.#requests === request || (!this.#isCancelled && startedAt + afterStartS * 1000 <= this.#world.now);
  }

  async #die<T>(kind: Death["kind"], ask: () => T | Promise<T>): Promise<T> {
    this.#world.note(`main is ${kind}`);
    this.#begins("cancelled");
    if (kind === "run cancelled") this.#world.cancelRun();
    this.#isCancelled = true;
    if (kind !== "killed") {
      this.#stop(CANCELLED);
      return await ask();
    }
    this.#isKilled = true;
    this.#written.isClosed = true;
    this.#killed.resolve(undefined);
    return await never();
  }

  #stop(reason: Error): void {
    this.#cancel.abort(reason);
  }

  #log(): Log {
    const note = (line: string) => this.#world.note(`  log: ${line}`);
    return { info: note, warning: note, stage: (_title, work) => work() };
  }
}

function never(): Promise<never> {
  return new Promise(() => {});
}
