import { type Box, isAway, isHeld, isUp } from "../things.ts";
import type { World } from "../world.ts";
import { type Eye, LOOK_MS, NEVER } from "./eye.ts";
import { committed, failuresOf, goodOffers, isHopeful, isUnwritable, jobOn, servesNobody } from "./truth.ts";

/** A job waits so long at most for somebody to ask for a machine. */
export const STARVES_MS = 240_000;
/** So much longer for each machine to which GitHub gives no job: it boots, and who waits there must see that first. */
const SEES_THROUGH_MS = 620_000;
/** So much longer where a machine whose job runs can serve it next. */
const SERVES_NEXT_MS = 560_000;
/** After GitHub gave no job to machines that stood ready, nobody knows when it does again: another is tried after so long. */
const TRIES_AGAIN_MS = 1_200_000;
/** An offer that gave no machine may be left alone for so long, or for three times as long as it has gone wrong there. */
const LEFT_ALONE_MS = 300_000;
/** The host of a machine that came to nothing may be left alone for longer. */
const HOST_LEFT_ALONE_MS = 2_100_000;
/** A machine that stood ready for so long without a job may be passed over, whatever it did before. */
const PASSED_OVER_MS = 90_000;
/** A runner that GitHub kept busy for so long, in seconds, may be written off. */
const WRITTEN_OFF_S = 240;
/** Between two searches, at the longest. */
export const SEARCHES_MS = 135_000;
/** Between a fault of what renting needs and the next try, at the longest. */
const RENTS_AGAIN_MS = 130_000;

/** A waiting job gets a machine, while the market has a good host, and GitHub gives jobs to it. */
export class Hunger {
  /** How long the first job that waits has waited with no runner online, in milliseconds. */
  unservedMs = 0;
  /** Since when a good offer is there. */
  goodSince: number | undefined;
  /** When one that no create was refused for was last there, for longer than two searches are apart. */
  freshAt = 0;
  #freshSince: number | undefined;
  /** For how long `machines-per-repository` has allowed one more, in milliseconds. */
  allowedMs = 0;
  /** Machines that stood ready for so long without a job that they may be passed over. */
  readonly passedOver = new Set<Box>();
  readonly #eye: Eye;
  readonly #world: World;
  readonly #wrongAt = new Map<number, { first: number; last: number }>();
  #isHeldUp = false;
  #heldUpMs = 0;
  #ranAt = -NEVER;
  /** Machines that stood in vain since the hunger began, one after the other. */
  readonly #inVain = new Set<Box>();
  readonly #stoodInVain = new Set<Box>();

  constructor(eye: Eye, world: World) {
    this.#eye = eye;
    this.#world = world;
  }

  /** A create gave no machine there, as far as it was answered. */
  refuses(offer: number): void {
    const { now } = this.#world;
    this.#wrongAt.set(offer, { first: this.#wrongAt.get(offer)?.first ?? now, last: now });
  }

  /** A create since then gave no machine. */
  wasRefusedSince(since: number): boolean {
    return [...this.#wrongAt.values()].some(({ last }) => last >= since);
  }

  look(isCreating: boolean): void {
    const { now } = this.#world;
    const good = this.#goodOffers();
    const isFresh = good.some((offer) => !this.#wrongAt.has(offer));
    this.goodSince = good.length > 0 ? (this.goodSince ?? now) : undefined;
    // One that was there for a while between two searches need not have been seen.
    if (!isFresh && now - (this.#freshSince ?? now) > SEARCHES_MS) this.freshAt = now;
    this.#freshSince = isFresh ? (this.#freshSince ?? now) : undefined;
    this.allowedMs = this.#eye.lasting("allowed", this.#isAllowed());
    this.#noteUnserved();
    this.#check(isCreating);
  }

  /** No good offer was there for so long; one that came since need not have been seen. */
  wasWithoutOffer(forMs: number): boolean {
    const { now } = this.#world;
    const since = this.#freshSince;
    const isSeen = since !== undefined && now - since > SEARCHES_MS;
    const slack = since === undefined ? 20_000 : SEARCHES_MS;
    return !isSeen && (since ?? now) - this.freshAt >= forMs - slack;
  }

  /** Jobs that wait, could run, and that lists show. */
  waiting() {
    const world = this.#world;
    const { story, now } = world;
    this.#isHeldUp = story.isExcluded || world.isPaused() || world.inProgress() >= story.maxParallel;
    this.#heldUpMs = this.#eye.lasting("held up", this.#isHeldUp) || this.#heldUpMs;
    if (this.#isHeldUp) return [];
    const isOld = (at: number) => now - at >= (story.jobsLagS + story.jobsTakeS) * 1000 + 20_000;
    return world.queued().filter(({ queuedAt, story: { asksForMore } }) => !asksForMore && isOld(queuedAt));
  }

  #check(isCreating: boolean): void {
    const world = this.#world;
    const { boxes, now, story } = world;
    const hopeful = boxes.filter((box) => isHopeful(box, now));
    const inVain = hopeful.filter((box) => servesNobody(box, now));
    const waiting = this.waiting();
    const isServed = hopeful.length > inVain.length || isCreating;
    const alive = boxes.filter(({ goneAt }) => goneAt > now);
    const hasRoom = alive.filter((box) => !servesNobody(box, now)).length < story.machines && this.#isAllowed();
    // Without a search-timeout nothing is searched for after the first search in vain, until a machine goes.
    const mayHaveStopped = story.searchS === 0 && alive.length > 0;
    const isHungry = story.hold && waiting.length > 0 && !isServed && hasRoom && this.#mayRent() && !mayHaveStopped;
    const starves = isHungry && this.goodSince !== undefined;
    // Where GitHub holds the jobs back, each one that is up and has none.
    const heldUp = hopeful.filter((box) => isUp(box, now) && jobOn(world, box) === undefined);
    const standing = this.#isHeldUp ? heldUp : waiting.length > 0 ? inVain : [];
    for (const box of standing) this.#stoodInVain.add(box);
    this.#notePassedOver(standing);
    if (!starves) this.#inVain.clear();
    for (const box of starves ? inVain : []) this.#inVain.add(box);
    const busy = boxes.filter((box) => jobOn(world, box) && box.runners.length > 1).length;
    const mostMs = STARVES_MS + this.#inVain.size * SEES_THROUGH_MS + this.#triesAgainMs();
    // Somebody else may have been quicker.
    const refusedAt = [...this.#wrongAt.values()].map(({ last }) => last);
    const askedAgoMs = now - Math.max(-NEVER, ...refusedAt, ...boxes.map(({ createdAt }) => createdAt));
    // Its wait for a busy machine that is lost is no wait for a new one.
    const lasts = Math.min(askedAgoMs, this.#eye.lasting("hungry", starves));
    // No machine has a use left.
    const alone = Math.min(askedAgoMs, this.#eye.lasting("hungry alone", starves && busy === 0));
    if (alone > mostMs || lasts > mostMs + Math.max(1, busy) * SERVES_NEXT_MS)
      this.#eye.say("a waiting job gets a machine", `'${waiting[0]?.name}' waits, and no machine is asked for`);
  }

  #notePassedOver(standing: readonly Box[]): void {
    const world = this.#world;
    for (const box of world.boxes) {
      const isReady = (box.current?.onlineAt ?? NEVER) <= world.now && standing.includes(box);
      if (this.#eye.lasting(`stands ${box.id}`, isReady) >= PASSED_OVER_MS) this.passedOver.add(box);
      if (jobOn(world, box)) this.passedOver.delete(box);
    }
  }

  /** Where GitHub held jobs back beside one that runs: each machine that stood in vain doubles it. */
  #triesAgainMs(): number {
    const times = this.#stoodInVain.size;
    const { jobs, now } = this.#world;
    // Until lists show that its job is over: GitHub counts one whose machine is lost until it misses its runner.
    if (jobs.some(({ box, overAt, startedAt }) => box && startedAt <= now && overAt > now)) this.#ranAt = now;
    if ((this.#heldUpMs === 0 && times === 0) || now - this.#ranAt > STARVES_MS) return 0;
    return Math.max(TRIES_AGAIN_MS * 2 ** Math.min(3, Math.max(0, times - 1)), 2 * this.#heldUpMs);
  }

  /** True while `machines-per-repository` allows one more. */
  #isAllowed(): boolean {
    const { now, story } = this.#world;
    return this.#world.boxesOfAll().filter(({ goneAt }) => goneAt > now).length < story.machinesPerRepository;
  }

  #goodOffers(): number[] {
    const world = this.#world;
    if (this.#eye.faults.isNow("no offers", world.now)) return [];
    // The code sets aside more for each machine than it will have cost.
    const left = (world.story.maxCost ?? NEVER) - committed(world) - 0.02 * world.boxes.length;
    return goodOffers(world, world.offers(), left).filter((offer) => !this.#isLeftAlone(offer));
  }

  #isLeftAlone(offer: number): boolean {
    const { boxes, now } = this.#world;
    const { first, last } = this.#wrongAt.get(offer) ?? { first: 0, last: -NEVER };
    const cameToNothing = (box: Box) => this.passedOver.has(box) || !box.runners.some(({ job }) => job !== undefined);
    const ofOffer = boxes.filter((box) => box.offer === offer && cameToNothing(box));
    const was = ofOffer.some((box) => now - Math.min(box.deadAt, box.goneAt) < HOST_LEFT_ALONE_MS);
    return was || now - last < Math.max(LEFT_ALONE_MS, 3 * (last - first));
  }

  /** Nothing that stops renting holds, and nothing did a moment before. */
  #mayRent(): boolean {
    const world = this.#world;
    const { boxes, now, story } = world;
    const bad = boxes.filter(({ host }) => host.fate === "bad image").length;
    const isUsedUp = failuresOf(world).length >= story.attempts || bad > 1;
    const writesFor = this.#eye.lasting("can write", story.unwritable === undefined || !isUnwritable(world, now));
    const couldWrite = story.unwritable === undefined || writesFor > RENTS_AGAIN_MS;
    return couldWrite && !isUsedUp && !this.#eye.isBlind(RENTS_AGAIN_MS) && this.unservedMs < story.readyS * 1000;
  }

  /** Whether jobs wait without a runner. */
  #noteUnserved(): void {
    const world = this.#world;
    const { boxes, now, story } = world;
    // GitHub gives nothing to a runner that it has dropped, even if its machine is there again. Nobody counts on one
    // that it kept busy for minutes with a job that no list has.
    const isListened = ({ current, host }: Box) =>
      current !== undefined && current.goneAt > now && !isHeld(current, now) && host.stuckS < WRITTEN_OFF_S;
    const isBusy = (box: Box) => jobOn(world, box) !== undefined;
    const isServed = boxes.some((box) => isUp(box, now) && (isListened(box) || isBusy(box)) && !isAway(box, now));
    const isRentedAtOnce = (story.waitForJobS === 0 || story.jobs !== "auto") && world.running().length === 0;
    // One that was up for less than a look need not have been seen. Nobody counts on one whose runner is to go.
    const isSeen = this.#eye.lasting("served", isServed && !this.#eye.met(["remove"], LOOK_MS)) >= LOOK_MS;
    // A job that came to its end since main's last look still waits for it.
    const queued = world.queued(LOOK_MS + (story.jobsLagS + story.jobsTakeS) * 1000);
    const waits = world.jobs.map((job) => this.#eye.lasting(`wait of ${job.id}`, !isSeen && queued.includes(job)));
    this.unservedMs = Math.max(this.#eye.lasting("wait for any", !isSeen && isRentedAtOnce), ...waits);
  }
}
