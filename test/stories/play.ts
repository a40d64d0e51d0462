import type { Log } from "../../src/shared/log.ts";
import { UserError } from "../../src/shared/user-error.ts";
import { HandWoundClock } from "../unit/support/hand-wound-clock.ts";
import {
  driveFirstSweep,
  driveMain,
  drivePost,
  driveSweep,
  type MainEnd,
  type Mutation,
  type Outside,
  type RunSeen,
  Written,
} from "./drive.ts";
import { GithubInWorld } from "./github.ts";
import { MarketInWorld } from "./market.ts";
import { Referee } from "./referee.ts";
import type { Broken } from "./rule.ts";
import type { Death, Story } from "./story.ts";
import { Troubles } from "./trouble.ts";
import { World } from "./world.ts";

/** How a story went. */
export interface Played {
  /** Undefined: main was ended by another hand, or by the referee. */
  end: MainEnd | undefined;
  world: World;
  troubles: Troubles;
  github: GithubInWorld;
  remembered: readonly string[];
  broken: readonly Broken[];
}

/** Nobody waits for it. */
const STOPPED = new Error("The referee has seen enough.");
const MINUTE_MS = 60_000;
const HALF_A_DAY_MS = 43_200_000;
const CANCELLED = new Error("cancelled");

/** Plays main and post of one story in simulated time, up to the first broken rule. */
export async function play(story: Story, mutation?: Mutation): Promise<Played> {
  return await new Player(story, mutation).play();
}

class Player {
  readonly #story: Story;
  readonly #mutation: Mutation | undefined;
  readonly #clock = new HandWoundClock();
  readonly #cancel = new AbortController();
  readonly #written = new Written();
  readonly #world: World;
  readonly #troubles: Troubles;
  readonly #referee: Referee;
  readonly #market: MarketInWorld;
  readonly #github: GithubInWorld;
  readonly #remembered: string[] = [];
  #requests = 0;
  #kill: () => void = () => {};
  #isKilled = false;

  constructor(story: Story, mutation: Mutation | undefined) {
    this.#story = story;
    this.#mutation = mutation;
    this.#world = new World(story);
    this.#troubles = new Troubles(story.troubles);
    this.#referee = new Referee(this.#world, this.#troubles, this.#written);
    this.#market = new MarketInWorld(this.#world, this.#clock, this.#troubles, this.#referee);
    this.#github = new GithubInWorld(this.#world, this.#clock.start, this.#troubles, this.#referee);
    this.#referee.market = this.#market;
    this.#referee.github = this.#github;
  }

  async play(): Promise<Played> {
    if (this.#story.sweepsFirst) await this.#sweep("open", "first sweep");
    this.#referee.phase = "main";
    const end = await this.#main();
    this.#world.advance(this.#clock.elapsed);
    this.#referee.mainEndedAt = Math.min(this.#referee.mainEndedAt, this.#world.now);
    if (end !== undefined) {
      this.#world.note(`main ends: ${end.kind} ${end.error?.name ?? "well"}: ${end.error?.message ?? ""}`);
      if (this.#referee.phase === "main" && this.#referee.broken.length === 0) this.#referee.ended(end);
    }
    if (this.#referee.broken.length === 0 && (this.#story.death?.hasPost ?? true)) await this.#post();
    if (this.#referee.broken.length === 0 && this.#story.death !== undefined) await this.#sweeps(this.#story.death);
    return {
      end,
      world: this.#world,
      troubles: this.#troubles,
      github: this.#github,
      remembered: this.#remembered,
      broken: this.#referee.broken,
    };
  }

  async #main(): Promise<MainEnd | undefined> {
    const killed = new Promise<undefined>((resolve) => {
      this.#kill = () => resolve(undefined);
    });
    const outside = this.#outside(this.#cancel.signal, (ask) => this.#asMain(ask));
    return await this.#clock.run(Promise.race([driveMain(outside, this.#story), killed]));
  }

  async #post(): Promise<void> {
    this.#referee.phase = "post";
    let requests = 0;
    let kill = () => {};
    const killed = new Promise<undefined>((resolve) => {
      kill = () => resolve(undefined);
    });
    const outside = this.#outside(new AbortController().signal, async (ask) => {
      requests += 1;
      if (requests < (this.#story.death?.postRequest ?? Number.POSITIVE_INFINITY)) return await this.#ask(ask);
      kill();
      return await never();
    });
    const undestroyed = await this.#clock.run(Promise.race([drivePost(outside), killed]));
    this.#world.advance(this.#clock.elapsed);
    if (undestroyed === undefined) this.#world.note("post is killed");
    else this.#referee.postEnded(undestroyed);
  }

  /** While a job runs its run is open; then none of the machines ends itself. */
  async #sweeps({ isDoubted }: Death): Promise<void> {
    // Nobody sweeps before lists show what there is.
    await this.#clock.advance(MINUTE_MS);
    this.#world.advance(this.#clock.elapsed);
    if (this.#world.running().length > 0) await this.#sweep("open");
    for (const { host } of this.#world.boxes) host.isFrozen = true;
    this.#referee.isRunOpen = false;
    await this.#sweep(isDoubted ? "unknown" : "over");
    if (isDoubted) {
      await this.#clock.advance(HALF_A_DAY_MS);
      await this.#sweep("unknown");
    }
    if (this.#referee.broken.length === 0) this.#referee.swept();
  }

  async #sweep(ours: RunSeen, phase: "first sweep" | "sweep" = "sweep"): Promise<void> {
    this.#referee.phase = phase;
    this.#world.advance(this.#clock.elapsed);
    this.#world.note(`a sweep begins, the run is ${ours}`);
    const outside = this.#outside(new AbortController().signal, (ask) => this.#ask(ask));
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
      log: this.#log(),
      askService: (outgoing) => through(() => this.#market.serve(outgoing)),
      askGithub: (asks) => through(() => this.#github.serve(asks)),
      remember: (kind, machine) => {
        this.#remembered.push(`${kind} ${machine}`);
        this.#world.advance(this.#clock.elapsed);
        this.#referee.remembers(kind, machine);
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
    this.#referee.look();
    if (this.#referee.broken.length > 0) this.#stop(STOPPED);
    const { death } = this.#story;
    if (death === undefined || this.#requests !== death.request) return await ask();
    if (!death.isAfter) return await this.#die(death.kind, ask);
    const answer = await ask();
    return await this.#die(death.kind, () => answer);
  }

  async #die<T>(kind: "cancelled" | "killed", ask: () => T | Promise<T>): Promise<T> {
    this.#world.note(`main is ${kind}`);
    this.#referee.phase = "cancelled";
    this.#referee.mainEndedAt = this.#world.now;
    if (kind === "cancelled") {
      this.#stop(CANCELLED);
      return await ask();
    }
    this.#isKilled = true;
    this.#written.isClosed = true;
    this.#kill();
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
