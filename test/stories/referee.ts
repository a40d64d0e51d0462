import type { MainEnd, Written } from "./drive.ts";
import type { GithubInWorld, GithubWatch } from "./github.ts";
import type { MarketInWorld, MarketWatch } from "./market.ts";
import type { Other } from "./others.ts";
import { isEndTrue } from "./referee-of-end.ts";
import type { Broken, Rule } from "./rule.ts";
import { latestEnd } from "./story.ts";
import { FALSE, RENTING, type Trouble, type Troubles } from "./trouble.ts";
import { committed, failuresOf, fitting, hasFailed, isHopeful, jobOn, leastCost, mayListen, twinsOf } from "./truth.ts";
import { type Box, isAway, isUp, type JobInWorld, type Rented, type RunnerInWorld, type World } from "./world.ts";

/** GitHub locks out who asks for more in a minute. */
const MOST_ASKED = 300;
const MINUTE_MS = 60_000;
/** The market is asked again every two minutes at the longest, and so is who refused. */
const STARVES_MS = 240_000;
/** Between two searches, at the longest. */
const SEARCHES_MS = 135_000;
/** `max-price` (drive.ts). */
const DEAREST = 0.6;
/** Of src/fleet/stage.ts: two looks are so far apart. */
const CONFIRMED_AFTER_MS = 14_000;
/** A busy machine with a runner slot left is waited for, for as long as a new one is expected to take. */
const EXPECTED_BOOT_MS = 560_000;
/** To destroy a machine, and to be asked again after the service gave no answer. */
const GIVEN_BACK_MS = 200_000;
/** A machine that no job needs bills so long at most, beside what lists lag. */
const UNNEEDED_MS = 120_000;
const MOST_CREATES = 150;
/** How long post looks for a create that gave no answer. */
const POST_LOOKS_MS = 40_000;
/** Main's looks at its runners are so far apart. */
const LOOK_MS = 16_000;
/** Of src/fleet/decide.ts: a finding waits so long for a list of jobs that can't be read. */
const UNREAD_FOR_MS = 600_000;

/** Sees what is true and what is done about it, and says what must not be. */
export class Referee implements MarketWatch, GithubWatch {
  readonly broken: Broken[] = [];
  readonly #world: World;
  readonly #troubles: Troubles;
  readonly #written: Written;
  readonly #bound: number;
  readonly #since = new Map<string, number>();
  /** When a list first showed each. */
  readonly #shown = new Map<Box, number>();
  readonly #shownJobs = new Set<JobInWorld>();
  readonly #refused = new Set<number>();
  readonly #sent = new Set<number>();
  #creating = 0;
  #creates = 0;
  /** Since when an offer fits; and when one last did before. */
  #fitSince: number | undefined;
  #fitAt = 0;
  /** How long the first job that waits has waited with no runner online, in milliseconds. */
  #unservedMs = 0;
  market: MarketInWorld | undefined;
  github: GithubInWorld | undefined;
  phase: "first sweep" | "main" | "cancelled" | "post" | "sweep" = "main";
  /** When main ended, in milliseconds: post's looks begin then. */
  mainEndedAt = Number.POSITIVE_INFINITY;
  /** When the service answered with its whole list, in milliseconds. */
  readonly #listedAts: number[] = [];
  /** As GitHub tells whoever sweeps. */
  isRunOpen = true;

  constructor(world: World, troubles: Troubles, written: Written) {
    this.#world = world;
    this.#troubles = troubles;
    this.#written = written;
    this.#bound = latestEnd(world.story);
  }

  /** At each request, before it is carried out. */
  look(): void {
    this.#checkAsked();
    this.#checkBoxes();
    if (this.phase !== "main") return;
    this.#noteClocks();
    this.#checkCount();
    this.#checkNeed();
    this.#checkHunger();
    if (this.#world.now > this.#bound) this.say("every story ends, and no fault is a bug", "it goes on and on");
  }

  say(rule: Rule, what: string): void {
    this.#world.note(`RULE BROKEN: ${rule}: ${what}`);
    this.broken.push({ rule, text: `after ${this.#world.now / 1000} s: ${what}` });
  }

  creates({ deadline, label, n, offer, bid }: Rented): void {
    const { boxes, jobs, story, now } = this.#world;
    this.#creates += 1;
    if (this.#sent.has(n)) this.say("one create at a time, and written down", `create ${n} is sent again`);
    this.#sent.add(n);
    if (this.#creating > 0) this.say("one create at a time, and written down", "two creates are in flight");
    if (this.#written.pendings.get(n) !== label)
      this.say("one create at a time, and written down", `create ${n} leaves, and is not written down`);
    if (this.#creates > MOST_CREATES) this.say("every story ends, and no fault is a bug", "creates without an end");
    this.#creating += 1;
    const bills = boxes.filter(
      (box) => box.goneAt > now && !box.isLate && !box.isTwin && !jobs.some((job) => job.box === box),
    );
    if (bills.length >= story.machines)
      this.say("no more machines than allowed", `create ${n} leaves, and ${bills.length} bill that no job came to`);
    if (story.maxCost === undefined) return;
    const price = bid ?? this.#world.hostOf(offer).price;
    // It was decided before it had to wait for its turn, and the list may be one of a destruction:
    // main ends a second instance as soon as its own look shows it.
    const most = this.#committed(now - LOOK_MS) + (price * (deadline - now)) / 3_600_000;
    const slack = 0.02 * story.maxCost + (this.#creates * price * MINUTE_MS) / 3_600_000;
    if (most > story.maxCost + slack)
      this.say(
        "max-cost is kept",
        `all machines may cost ${most.toFixed(3)} of ${story.maxCost} until their deadlines`,
      );
  }

  created(): void {
    this.#creating -= 1;
  }

  refuses(offer: number): void {
    this.#refused.add(offer);
  }

  lists(rows: readonly Box[], trouble: Trouble | undefined): void {
    if (trouble !== undefined) return;
    this.#listedAts.push(this.#world.now);
    for (const box of rows) if (!this.#shown.has(box)) this.#shown.set(box, this.#world.now);
  }

  jobsShown(shown: readonly JobInWorld[]): void {
    for (const job of shown) this.#shownJobs.add(job);
  }

  destroysOther({ id, swept }: Other): void {
    if (this.phase === "sweep" && swept !== "never") return;
    if (this.phase === "first sweep" && swept === "by any sweep") return;
    this.say("only what is ours is destroyed", `instance ${id} is somebody else's`);
  }

  destroys(box: Box): void {
    const { now } = this.#world;
    const isAllowed = this.phase === "sweep" ? !this.isRunOpen : this.phase !== "main";
    if (isAllowed || now >= box.deadline) return;
    const job = jobOn(box, now);
    if (job !== undefined)
      this.say("a running job keeps its machine", `'${job.name}' runs, and its instance ${box.id} is destroyed`);
    // A job that began since main's last look nobody can know of.
    const isSeen = (each: Box) => (jobOn(each, now)?.startedAt ?? now) <= now - LOOK_MS;
    const twin = twinsOf(this.#world, box).find(isSeen);
    if (job === undefined && twin !== undefined && isUp(box, now))
      this.say("machines of one create are not ended under its job", `instance ${box.id}, while its twin has a job`);
  }

  removes(runner: RunnerInWorld): void {
    if (this.phase !== "main" || runner.job !== undefined) return;
    const { boxes, now } = this.#world;
    const sharing = boxes.filter((box) => box.runners.includes(runner) && isUp(box, now));
    const others = boxes.filter((box) => isHopeful(box, now) && !sharing.includes(box));
    // Of two that can both serve nobody nothing is kept; after a red job the machine ends.
    const isRed = this.#world.jobs.some(
      ({ box, conclusion }) => box && sharing.includes(box) && conclusion === "failure",
    );
    const isOfUse = !isRed && sharing.some((box) => !hasFailed(box, now) && mayListen(box));
    if (sharing.length > 1 && isOfUse && this.#waiting().length > others.length)
      this.say("a shared runner is kept for its job", `runner ${runner.id} is deleted, and a job waits`);
  }

  /** A host is remembered as one that failed. */
  remembers(kind: string, machine: number): void {
    const boxes = this.#world.boxes.filter(({ offer }) => offer * 100 === machine);
    const isShared = boxes.some((box) => twinsOf(this.#world, box).length > 0);
    // Who can't see it or its runner, or sees a job on it that is over, can't know what it ended with.
    const places = ["jobs", "job-token", "runners", "github-token", "get", "service"] as const;
    const isOld = this.#troubles.wasMetSince(places, this.#world.now - 2 * MINUTE_MS);
    // Where main holds nothing it asks for no jobs: those that need it come after it.
    const hasServed = !this.#world.story.hold && this.#world.jobs.some(({ box }) => box && boxes.includes(box));
    if (kind !== "failed" || isShared || isOld || hasServed) return;
    if (boxes.some((box) => hasFailed(box, this.#world.now))) return;
    this.say("no host is blamed for our own ending", `machine ${machine} is remembered as bad`);
  }

  /** Main has ended by itself. */
  ended(end: MainEnd): void {
    const { now, story } = this.#world;
    const areJobsDoubtful = this.#troubles.wasMetSince(["jobs", "job-token"], now - 2 * MINUTE_MS);
    const seen = { listedAts: this.#listedAts, areJobsDoubtful, shownJobs: this.#shownJobs };
    isEndTrue(end, this.#world, seen, (rule, text) => this.say(rule, text));
    if (end.kind !== "stopped" || !story.hold) return;
    const why = this.#whyNoReason(end.stop);
    if (why !== undefined) this.say("renting stops for what still holds", `${end.error?.name} (${end.stop}): ${why}`);
    if (this.#world.boxes.some((box) => jobOn(box, now) && !box.isLate))
      this.say("the end is true of the jobs", "renting has stopped, and a job runs");
  }

  /** Nobody comes any more but a sweep. */
  postEnded(undestroyed: readonly string[]): void {
    const { boxes, now } = this.#world;
    // What no answer told and no list could show yet, nobody can know of: the sweep ends it.
    const { instancesLagS } = this.#world.story;
    const isHidden = (box: Box) => {
      const listedAt = box.createdAt + (box.host.listedS + instancesLagS) * 1000;
      const isTold = this.#written.createds.get(box.n) === box.id;
      const isUnlisted = !isTold && !this.#shown.has(box) && this.#troubles.wasMetSince(["list"], box.createdAt);
      if (isUnlisted) return true;
      return box.isTwin === true ? now < listedAt + MINUTE_MS : listedAt > this.mainEndedAt + POST_LOOKS_MS;
    };
    const left = boxes.filter((box) => box.goneAt > now && !isHidden(box));
    if (left.length > 0 && undestroyed.length === 0)
      this.say("nothing bills after the end", `${left.map(({ id }) => id).join(", ")} bills, and post names nothing`);
    const isExcused = this.#troubles.met.length > 0 || this.#world.story.hosts.some(({ destroyS }) => destroyS > 60);
    if (undestroyed.length > 0 && !isExcused)
      this.say("nothing bills after the end", `post gave up ${undestroyed.join(", ")} without a fault`);
  }

  /** A sweep has ended that knew that the run is over, or that every label has expired. */
  swept(): void {
    const { boxes, now } = this.#world;
    const left = boxes.filter(({ goneAt }) => goneAt > now).map(({ id }) => id);
    const wasDown = this.#troubles.wasMetSince(["service", "list", "get", "destroy"], now - 5 * MINUTE_MS);
    if (left.length > 0 && !wasDown) this.say("nothing bills after a sweep", `${left.join(", ")} does`);
  }

  /** Why a stop is none; undefined: what stopped renting holds. */
  #whyNoReason(stop: string | undefined): string | undefined {
    const { boxes, now, story } = this.#world;
    // A job and the end of a machine between the same two looks: nobody can tell which came first.
    const failures = failuresOf(this.#world, LOOK_MS);
    switch (stop) {
      case "refused":
        // The next request may be the first that is not refused.
        return this.#troubles.wasRefusedTwice(now - SEARCHES_MS) ? undefined : "nothing refused, or nothing twice";
      case "undestroyed":
        return this.#troubles.met.some(({ trouble }) => ["destroy", "service", "list", "get"].includes(trouble.where))
          ? undefined
          : "every destruction works";
      case "attempts":
        // By false lists of GitHub a runner comes online too late, or no job comes to it.
        return failures.length >= story.attempts ||
          this.#troubles.wasMetSince(["runners", "jobs"], now - 2 * MINUTE_MS, FALSE)
          ? undefined
          : `${failures.length} of ${story.attempts} have failed`;
      case "image":
        return boxes.filter(({ host }) => host.fate === "bad image").length > 1 ? undefined : "the image is good";
      case "ready-timeout":
        return this.#unservedMs >= story.readyS * 1000 - 20_000 ? undefined : "no job has waited for so long";
      case "max-cost":
        if (boxes.length > 0 && this.#left() < leastCost(DEAREST)) return undefined;
        return this.#hasSearchedEnough() ? undefined : "nothing was spent, and it was not searched for long";
      default:
        // Nobody has such a GPU, rented or not: two searches, so far apart, are enough.
        if (story.offers === 0 && now >= CONFIRMED_AFTER_MS) return undefined;
        return this.#hasSearchedEnough() || this.#isBlind(story.searchS * 1000 + 2 * MINUTE_MS)
          ? undefined
          : `an offer fits, or did ${Math.round((now - this.#fitAt) / 1000)} s ago`;
    }
  }

  /** None fitted for all of search-timeout; one that came since need not have been seen. */
  #hasSearchedEnough(): boolean {
    const { now, story } = this.#world;
    const isSeen = this.#fitSince !== undefined && now - this.#fitSince > SEARCHES_MS;
    const slack = this.#fitSince === undefined ? 20_000 : SEARCHES_MS;
    return !isSeen && (this.#fitSince ?? now) - this.#fitAt >= story.searchS * 1000 - slack;
  }

  /** At each look: whether an offer fits, and whether jobs wait without a runner. */
  #noteClocks(): void {
    const { boxes, now } = this.#world;
    if (this.#fits()) this.#fitSince ??= now;
    else if (this.#fitSince !== undefined) {
      this.#fitAt = now;
      this.#fitSince = undefined;
    }
    // GitHub gives nothing to a runner that it has dropped, even if its machine is there again.
    const isListened = ({ current }: Box) => current !== undefined && current.goneAt > now;
    const isServed = boxes.some((box) => isUp(box, now) && isListened(box) && !isAway(box, now));
    const { jobs, jobsLagS, waitForJobS } = this.#world.story;
    const isRentedAtOnce = (waitForJobS === 0 || jobs !== "auto") && this.#world.running().length === 0;
    // One that was up for less than a look need not have been seen.
    const isSeen = this.#lasts("served", isServed) >= LOOK_MS;
    // A job that came to its end since main's last look still waits for it.
    const queued = this.#world.queued(LOOK_MS + jobsLagS * 1000);
    const waits = this.#world.jobs.map((job) => this.#lasts(`wait of ${job.id}`, !isSeen && queued.includes(job)));
    this.#unservedMs = Math.max(this.#lasts("wait for any", !isSeen && isRentedAtOnce), ...waits);
  }

  #isBlind(withinMs: number): boolean {
    return this.#troubles.wasMetSince(RENTING, this.#world.now - withinMs);
  }

  /** Of what lists had shown by then. */
  #committed(seenBy = this.#world.now): number {
    const isShown = (box: Box) => (this.#shown.get(box) ?? Number.POSITIVE_INFINITY) <= seenBy;
    const isKnown = (box: Box) => isShown(box) || (!box.isTwin && !box.isLate);
    return committed(this.#world, isKnown);
  }

  #left(): number {
    return (this.#world.story.maxCost ?? Number.POSITIVE_INFINITY) - this.#committed();
  }

  /** Jobs that wait, could run, and that lists show. */
  #waiting() {
    const { story, now } = this.#world;
    if (story.isExcluded || this.#world.inProgress() >= story.maxParallel) return [];
    return this.#world
      .queued()
      .filter((job) => !job.story.asksForMore && now - job.queuedAt >= story.jobsLagS * 1000 + 20_000);
  }

  #checkAsked(): void {
    const asked = this.github?.asked ?? [];
    const { now } = this.#world;
    const nth = asked.at(-MOST_ASKED - 1);
    if (nth !== undefined && now - nth < MINUTE_MS)
      this.say("GitHub is not asked too often", `more than ${MOST_ASKED} requests in a minute`);
  }

  #checkBoxes(): void {
    const { now, boxes } = this.#world;
    const needed = ["service", "list", "get", "destroy", "remove", "github-token"] as const;
    const isAway = this.#troubles.wasMetSince(needed, now - MINUTE_MS);
    for (const box of boxes) {
      const bills = box.goneAt > now && !box.isLate && !isAway && this.phase === "main";
      const slack = GIVEN_BACK_MS + (box.host.destroyS + box.host.listedS) * 1000;
      if (this.#lasts(`deadline ${box.id}`, bills && now >= box.deadline) > slack)
        this.say("nothing bills after its deadline", `instance ${box.id} does`);
      const kept = slack + this.#world.story.keepFailedS * 1000;
      // What its job came to is read before it goes, as long as that may take.
      const isUnread = this.#troubles.wasMetSince(["jobs", "job-token"], now - kept - MINUTE_MS);
      if (this.#lasts(`dead ${box.id}`, bills && now >= box.deadAt) > kept + (isUnread ? UNREAD_FOR_MS : 0))
        this.say("nothing dead is kept", `instance ${box.id} (${box.host.fate})`);
    }
  }

  #checkCount(): void {
    const { now, boxes, story } = this.#world;
    const hasUse = (box: Box) => mayListen(box) && box.runners.some(({ goneAt }) => goneAt > now);
    const alive = boxes.filter((box) => isUp(box, now) && !box.isLate && !box.isTwin && hasUse(box));
    if (alive.length > story.machines) this.say("no more machines than allowed", `${alive.length} are alive`);
  }

  /** Needed by no job, as all lists show. */
  #checkNeed(): void {
    const { boxes, jobs, now, story } = this.#world;
    const came = jobs.filter(({ queuedAt }) => queuedAt <= now).length;
    const isExpected = (story.jobs !== "auto" && came < story.jobs) || (came === 0 && story.waitForJobS === 0);
    const isStuck =
      this.#troubles.wasMetSince(["remove", "destroy", "get"], now - MINUTE_MS) || this.#isBlind(MINUTE_MS);
    const isQuiet = story.hold && !isExpected && this.#world.queued().length === 0 && !isStuck;
    for (const box of boxes) {
      const isIdle =
        isQuiet && isHopeful(box, now) && !box.isTwin && !box.isLate && twinsOf(this.#world, box).length === 0;
      const slack = (story.jobsLagS + story.runnersLagS + box.host.destroyS + box.host.listedS) * 1000;
      if (this.#lasts(`idle ${box.id}`, isIdle) > UNNEEDED_MS + slack)
        this.say("nobody keeps what no job needs", `instance ${box.id}`);
    }
  }

  /** A waiting job that GitHub would give to a machine has one on its way while there are some. */
  #checkHunger(): void {
    const { boxes, now, story } = this.#world;
    const isServed = boxes.some((box) => isHopeful(box, now)) || this.#creating > 0;
    const alive = boxes.filter(({ goneAt }) => goneAt > now).length;
    const hasRoom = alive < Math.min(story.machines, story.machinesPerRepository);
    const isHungry = story.hold && this.#waiting().length > 0 && !isServed && hasRoom && this.#mayRent();
    const busy = boxes.filter((box) => jobOn(box, now) && box.runners.length > 1).length;
    // Without a search-timeout nothing is searched for after the first search in vain, until a machine goes.
    const mayHaveStopped = story.searchS === 0 && alive > 0;
    const starves = isHungry && this.#fitSince !== undefined && !mayHaveStopped;
    // Its wait for a busy machine that is lost is no wait for a new one.
    const lasts = this.#lasts("hungry", starves);
    const alone = this.#lasts("hungry, and no machine has a use left", starves && busy === 0);
    if (alone > STARVES_MS || lasts > STARVES_MS + Math.max(1, busy) * EXPECTED_BOOT_MS)
      this.say("a waiting job gets a machine", `'${this.#waiting()[0]?.name}' waits, and no machine is asked for`);
  }

  #fits(): boolean {
    const offers = this.market?.offers() ?? [];
    // The code sets aside more for each machine than it will have cost.
    const left = this.#left() - 0.02 * this.#world.boxes.length;
    return fitting(this.#world, offers, this.#refused, left).length > 0;
  }

  /** Nothing that stops renting holds, and nothing did a moment before. */
  #mayRent(): boolean {
    const { boxes, story } = this.#world;
    const bad = boxes.filter(({ host }) => host.fate === "bad image").length;
    const isUsedUp = failuresOf(this.#world).length >= story.attempts || bad > 1;
    return !isUsedUp && !this.#isBlind(130_000) && this.#unservedMs < story.readyS * 1000;
  }

  /** For how long something has held by now, in milliseconds. */
  #lasts(name: string, holds: boolean): number {
    if (!holds) this.#since.delete(name);
    else if (!this.#since.has(name)) this.#since.set(name, this.#world.now);
    return this.#world.now - (this.#since.get(name) ?? this.#world.now);
  }
}
