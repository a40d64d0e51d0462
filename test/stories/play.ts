import { UserError } from "../../src/shared/user-error.ts";
import { HandWoundClock } from "../unit/support/hand-wound-clock.ts";
import type { Scene } from "./answers.ts";
import type { DrivenMain, MainEnd, RunSeen } from "./drive.ts";
import { driveFirstSweep, driveMain, drivePost, driveSweep } from "./drive.ts";
import { Faults } from "./fault.ts";
import { GithubInWorld } from "./github.ts";
import { MarketInWorld } from "./market.ts";
import { clockThatJumps, type Mutation, type Outside, PREFIX, Written } from "./outside.ts";
import type { Driven, Ended, Phase } from "./referee/record.ts";
import { Referee } from "./referee/referee.ts";
import { isUnwritable } from "./referee/truth.ts";
import type { Death, Story } from "./story.ts";
import { World } from "./world.ts";

/** How a story went; without an `end` main was ended by another hand, or by the referee. */
export type Played = Awaited<ReturnType<typeof play>>;

/** How each request of a process is made. */
type Through = <T>(ask: () => T | Promise<T>) => Promise<T>;

/** Nobody waits for it. */
const STOPPED = new Error("The referee has seen enough.");
const CANCELLED = new Error("cancelled");
const MINUTE_MS = 60_000;
const HALF_A_DAY_MS = 43_200_000;

/** Plays main and post of one story in simulated time, up to the first broken rule. */
export async function play(story: Story, mutation?: Mutation) {
  return await new Player(story, mutation).play();
}

/** What a process meets in a world, but for its log and what it writes. */
function outsideIn(scene: Scene): (signal: AbortSignal, through?: Through) => Outside {
  const { clock, world } = scene;
  const market = new MarketInWorld(scene);
  const github = new GithubInWorld(scene);
  const itself: Through = async (ask) => await ask();
  return (signal, through = itself) => {
    const asked: Through = (ask) =>
      through(() => {
        world.advance(clock.elapsed);
        return ask();
      });
    return {
      ...{ clock, signal, prefix: PREFIX, prefixes: [PREFIX], jobStatus: "success", remember() {} },
      log: { info() {}, warning() {}, stage: (_title, work) => work() },
      askService: (outgoing) => asked(() => market.serve(outgoing)),
      askGithub: (asks) => asked(() => github.serve(asks)),
      writes: new Written(() => true),
    };
  };
}

class Player {
  readonly #story: Story;
  readonly #mutation: Mutation | undefined;
  readonly #clock = new HandWoundClock();
  readonly #cancel = new AbortController();
  readonly #written = new Written(() => !isUnwritable(this.#world, this.#clock.elapsed));
  readonly #end = new AbortController();
  readonly #world: World;
  /** Other runs of the repository, in the same account: nothing goes wrong there, and nobody judges them. */
  readonly #others: readonly World[];
  readonly #faults: Faults;
  readonly #referee: Referee;
  readonly #meets: ReturnType<typeof outsideIn>;
  #requests = 0;
  readonly #killed = Promise.withResolvers<undefined>();

  constructor(story: Story, mutation: Mutation | undefined) {
    this.#story = story;
    this.#mutation = mutation;
    const account: World[] = [];
    this.#world = new World(story, account);
    const calm = { ...story, faults: [], death: undefined, clockJump: undefined, unwritable: undefined };
    this.#others = Array.from({ length: story.otherRuns }, () => new World(calm, account));
    this.#faults = new Faults(story.faults);
    this.#referee = new Referee(this.#world, this.#driven());
    const hears = this.#referee.hears.bind(this.#referee);
    this.#meets = outsideIn({ clock: this.#clock, world: this.#world, faults: this.#faults, hears });
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

  async play() {
    const { death, sweepsFirst } = this.#story;
    if (sweepsFirst) await this.#sweep("open", "first sweep");
    this.#begins("main");
    for (const [nth, world] of this.#others.entries()) void this.#playOther(world, this.#prefixes[nth + 1] ?? "");
    const driven = await this.#main();
    const end = driven?.end;
    if (driven !== undefined) await this.#conclude(driven);
    this.#world.advance(this.#clock.elapsed);
    if (!this.#isBroken && (death?.hasPost ?? true)) await this.#post(end);
    if (!this.#isBroken && death !== undefined) await this.#sweeps(death);
    this.#end.abort(new Error("The story is over."));
    return { end, world: this.#world, broken: this.#referee.eye.broken };
  }

  get #isBroken(): boolean {
    return this.#referee.eye.broken.length > 0;
  }

  #begins(phase: Phase): void {
    this.#referee.hears({ what: "begins", phase });
  }

  #ends(stage: Ended["stage"], given: Partial<Ended> & Pick<Ended, "isGreen">): void {
    this.#referee.hears({ what: "ends", stage, named: [], undestroyed: [], ...given });
  }

  get #prefixes(): string[] {
    return [PREFIX, ...this.#others.map((_, nth) => `ghr1.1.${100 + nth}-1.others`)];
  }

  async #playOther(world: World, prefix: string): Promise<void> {
    const { signal } = this.#end;
    const meets = outsideIn({ clock: this.#clock, world, faults: new Faults(), hears() {} })(signal);
    const outside = { ...meets, prefix, prefixes: this.#prefixes };
    try {
      const { conclude, end } = await driveMain(outside, world.story);
      if (signal.aborted) return;
      await conclude();
      await drivePost({ ...outside, jobStatus: end.error === undefined ? "success" : "failure" }, world.story);
    } catch (error) {
      // What it had under way at the story's end.
      if (!signal.aborted) throw error;
    }
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
    if (!this.#isBroken) this.#ends("main", { isGreen, verdict: end, named: [...end.bad, ...end.lost] });
    if (this.#isBroken) return;
    if (!wasCut) this.#begins("failing");
    await this.#clock.run(Promise.race([conclude(), this.#killed.promise]));
  }

  async #post(end: MainEnd | undefined): Promise<void> {
    const wasMain = this.#referee.eye.phase;
    this.#begins("post");
    let requests = 0;
    const { kind, postRequest = Number.POSITIVE_INFINITY } = this.#story.death ?? {};
    const killed = Promise.withResolvers<undefined>();
    const outside = this.#outside(new AbortController().signal, async (ask) => {
      requests += 1;
      this.#referee.hears({ what: "asks" });
      if (requests < postRequest) return await ask();
      killed.resolve(undefined);
      return await never();
    });
    const isStopped = wasMain === "cancelled" && kind !== "killed";
    const jobStatus = isStopped ? "cancelled" : end?.error === undefined ? "success" : "failure";
    const posting = drivePost({ ...outside, jobStatus }, this.#story);
    const postEnd = await this.#clock.run(Promise.race([posting, killed.promise]));
    this.#world.advance(this.#clock.elapsed);
    if (postEnd === undefined) return this.#world.note("post is killed");
    const { error, undestroyed } = postEnd;
    this.#world.note(`post ends: ${error?.message ?? "well"}`);
    this.#ends("post", { isGreen: error === undefined && undestroyed.length === 0, undestroyed });
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
    if (!this.#isBroken) this.#ends("sweep", { isGreen: undefined, isLast: true });
  }

  async #sweep(ours: RunSeen, phase: "first sweep" | "sweep" = "sweep"): Promise<void> {
    this.#world.advance(this.#clock.elapsed);
    this.#referee.hears({ what: "begins", phase, isRunOver: ours !== "open" });
    this.#world.note(`a sweep begins, the run is ${ours}`);
    const ahead = clockThatJumps(this.#clock, { atS: 0, byS: this.#story.sweepAheadS });
    const outside = { ...this.#outside(new AbortController().signal), clock: ahead };
    const sweeping = phase === "sweep" ? driveSweep(outside, ours) : driveFirstSweep(outside);
    await this.#clock.run(sweeping).catch((error: unknown) => {
      if (!(error instanceof UserError)) throw error;
      this.#world.note(`the sweep fails: ${error.message}`);
    });
    this.#world.advance(this.#clock.elapsed);
  }

  #outside(signal: AbortSignal, through?: Through): Outside {
    const note = (line: string) => this.#world.note(`  log: ${line}`);
    return {
      ...this.#meets(signal, through),
      prefixes: this.#prefixes,
      log: { info: note, warning: note, stage: (_title, work) => work() },
      remember: (kind, host) => {
        this.#world.advance(this.#clock.elapsed);
        this.#referee.hears({ what: "remembers", kind, host });
      },
      writes: this.#written,
      mutation: this.#mutation,
    };
  }

  /** A request of main, which may be its last. */
  async #asMain<T>(ask: () => T | Promise<T>): Promise<T> {
    if (this.#written.isClosed) return await never();
    this.#requests += 1;
    this.#world.advance(this.#clock.elapsed);
    this.#referee.hears({ what: "asks" });
    if (this.#isBroken) this.#cancel.abort(STOPPED);
    const { death } = this.#story;
    if (death === undefined || !this.#isDeathNow(death)) return await ask();
    if (!death.isAfter) return await this.#die(death.kind, ask);
    const answer = await ask();
    return await this.#die(death.kind, () => answer);
  }

  #isDeathNow({ afterStartS = Number.POSITIVE_INFINITY, request }: Death): boolean {
    const startedAt = Math.min(...this.#world.jobs.filter(({ box }) => box !== undefined).map((job) => job.startedAt));
    const isCancelled = this.#referee.eye.phase === "cancelled";
    return this.#requests === request || (!isCancelled && startedAt + afterStartS * 1000 <= this.#world.now);
  }

  async #die<T>(kind: Death["kind"], ask: () => T | Promise<T>): Promise<T> {
    this.#world.note(`main is ${kind}`);
    this.#begins("cancelled");
    if (kind === "run cancelled") this.#world.cancelRun();
    if (kind !== "killed") {
      this.#cancel.abort(CANCELLED);
      return await ask();
    }
    this.#written.isClosed = true;
    this.#killed.resolve(undefined);
    return await never();
  }
}

function never(): Promise<never> {
  return new Promise(() => {});
}
