import { UserError } from "../../src/shared/user-error.ts";
import { HandWoundClock } from "../unit/support/hand-wound-clock.ts";
import type { DrivenMain, MainEnd, RunSeen } from "./drive.ts";
import { driveMain, drivePost, driveSweep } from "./drive.ts";
import { Faults, isIn } from "./fault.ts";
import { GithubInWorld } from "./github.ts";
import { MarketInWorld } from "./market.ts";
import { clockAhead, type Mutation, type Outside, Written } from "./outside.ts";
import type { Driven, Ended, Phase } from "./referee/record.ts";
import { Referee } from "./referee/referee.ts";
import { type Death, type JobStory, MAX_PRICE, type Story } from "./story.ts";
import { FIRST_JOB, World } from "./world.ts";

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

class Player {
  readonly #story: Story;
  readonly #mutation: Mutation | undefined;
  readonly #clock = new HandWoundClock();
  readonly #cancel = new AbortController();
  readonly #written = new Written(() => !this.#isUnwritable());
  readonly #world: World;
  readonly #faults: Faults;
  readonly #referee: Referee;
  readonly #market: MarketInWorld;
  readonly #github: GithubInWorld;
  #requests = 0;
  readonly #killed = Promise.withResolvers<undefined>();

  constructor(story: Story, mutation: Mutation | undefined) {
    this.#story = story;
    this.#mutation = mutation;
    this.#world = new World(story);
    this.#faults = new Faults(story.faults);
    this.#referee = new Referee(this.#world, this.#driven());
    const hears = this.#referee.hears.bind(this.#referee);
    const scene = { clock: this.#clock, world: this.#world, faults: this.#faults, hears };
    this.#market = new MarketInWorld(scene);
    this.#github = new GithubInWorld(scene);
  }

  #isUnwritable(): boolean {
    const { unwritable } = this.#story;
    return unwritable !== undefined && isIn(unwritable, this.#clock.elapsed);
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
      able: ableIn(this.#story),
      mayGiveUp: () => this.#faults.met.length > 0 || hosts.some(({ destroyS }) => destroyS > 60),
    };
  }

  async play() {
    const { death } = this.#story;
    this.#begins("main");
    const driven = await this.#main();
    const end = driven?.end;
    if (driven !== undefined) await this.#conclude(driven);
    this.#world.advance(this.#clock.elapsed);
    if (!this.#isBroken && (death?.hasPost ?? true)) await this.#post(end);
    if (!this.#isBroken && death !== undefined) await this.#sweeps(death);
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

  async #main(): Promise<DrivenMain | undefined> {
    const outside = this.#outside(this.#cancel.signal, (ask) => this.#asMain(ask));
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

  async #sweep(ours: RunSeen): Promise<void> {
    this.#world.advance(this.#clock.elapsed);
    this.#referee.hears({ what: "begins", phase: "sweep", isRunOver: ours !== "open" });
    this.#world.note(`a sweep begins, the run is ${ours}`);
    const clock = clockAhead(this.#clock, this.#story.sweepAheadS);
    const outside = { ...this.#outside(new AbortController().signal), clock };
    await this.#clock.run(driveSweep(outside, ours)).catch((error: unknown) => {
      if (!(error instanceof UserError)) throw error;
      this.#world.note(`the sweep fails: ${error.message}`);
    });
    this.#world.advance(this.#clock.elapsed);
  }

  /** What a process meets. */
  #outside(signal: AbortSignal, through: Through = async (ask) => await ask()): Outside {
    const note = (line: string) => this.#world.note(`  log: ${line}`);
    const asked: Through = (ask) =>
      through(() => {
        this.#world.advance(this.#clock.elapsed);
        return ask();
      });
    return {
      ...{ clock: this.#clock, signal, jobStatus: "success", writes: this.#written, mutation: this.#mutation },
      log: { info: note, warning: note, stage: (_title, work) => work() },
      askService: (outgoing) => asked(() => this.#market.serve(outgoing)),
      askGithub: (asks) => asked(() => this.#github.serve(asks)),
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

/** Ids of the jobs that can do well, where nothing goes wrong and every host works, at a price that may be paid. */
function ableIn(story: Story): number[] {
  const { bid, death, faults, had, hosts, isExcluded, jobs, jobsOfRun, maxCost, maxParallel, offers } = story;
  const isWell = faults.length === 0 && had.length === 0 && death === undefined && !isExcluded;
  const isRich = maxCost === undefined && bid === undefined && offers > jobsOfRun.length;
  const areGood = hosts.every(({ fate, offeredS, price }) => fate === "works" && offeredS === 0 && price <= MAX_PRICE);
  const isOpen = jobs === "auto" && maxParallel >= jobsOfRun.length && !jobsOfRun.some((job) => job.asksForMore);
  if (!isWell || !isRich || !areGood || !isOpen) return [];
  // Half of the shortest lifetime is left when the last job on a machine begins.
  const isAble = ({ cancelledS, conclusion, heldS, lastsS }: JobStory) =>
    conclusion === "success" && cancelledS === undefined && heldS === 0 && lastsS <= 400;
  return jobsOfRun.flatMap((job, index) => (isAble(job) ? [FIRST_JOB + index] : []));
}

function never(): Promise<never> {
  return new Promise(() => {});
}
