import { BillRules } from "./bills.ts";
import { whyNoReason } from "./blame.ts";
import type { MainEnd } from "./drive.ts";
import { Eye, LOOK_MS } from "./eye.ts";
import type { Fault, Faults } from "./fault.ts";
import type { GithubWatch } from "./github.ts";
import { Hunger } from "./hunger.ts";
import type { MarketWatch } from "./market.ts";
import type { Other } from "./others.ts";
import type { Written } from "./outside.ts";
import { isEndTrue } from "./referee-of-end.ts";
import { PostRules } from "./referee-of-post.ts";
import { latestEnd } from "./story.ts";
import type { Box, JobInWorld, Rented, RunnerInWorld } from "./things.ts";
import { isElsewhere, isUp } from "./things.ts";
import { hasFailed, isHopeful, isPassedOver, jobOn, mayListen, twinsOf } from "./truth.ts";
import type { World } from "./world.ts";

/** GitHub locks out who asks for more in a minute. */
const MOST_ASKED = 300;
const MINUTE_MS = 60_000;
/** Who is refused so often within twenty minutes asks on and on. */
const MOST_IN_VAIN = 40;
const IN_VAIN_WITHIN_MS = 1_200_000;
/** When nothing is left to do main may wait so much longer than `wait-for-job`. */
const LINGERS_MS = 360_000;

/** Sees what is true and what is done about it, and says what must not be. */
export class Referee implements MarketWatch, GithubWatch {
  readonly eye: Eye;
  readonly #world: World;
  readonly #hunger: Hunger;
  readonly #bills: BillRules;
  readonly #post: PostRules;
  readonly #bound: number;
  readonly #shownJobs = new Set<JobInWorld>();
  readonly #inVain = new Map<RunnerInWorld, number[]>();
  /** When each request came to GitHub, in milliseconds. */
  asked: readonly number[] = [];
  /** When the service answered with its whole list, in milliseconds. */
  readonly #listedAts: number[] = [];
  /** As GitHub tells whoever sweeps. */
  isRunOpen = true;

  constructor(world: World, faults: Faults, written: Written) {
    this.eye = new Eye(world, faults);
    this.#world = world;
    this.#hunger = new Hunger(this.eye);
    this.#bills = new BillRules(this.eye, written);
    this.#post = new PostRules(this.eye, written);
    this.#bound = latestEnd(world.story);
  }

  /** At each request, before it is carried out. */
  look(): void {
    this.#checkAsked();
    this.#bills.look();
    if (this.eye.phase !== "main") return;
    this.#hunger.look(this.#bills.isCreating);
    this.#checkEnd();
  }

  creates(wanted: Rented): void {
    this.#bills.creates(wanted);
  }

  created(): void {
    this.#bills.created();
  }

  refuses(offer: number): void {
    this.#hunger.refuses(offer);
  }

  lists(rows: readonly Box[], fault: Fault | undefined): void {
    if (fault !== undefined) return;
    const { now } = this.#world;
    this.#listedAts.push(now);
    for (const box of rows) if (!this.eye.shown.has(box)) this.eye.shown.set(box, now);
  }

  jobsShown(shown: readonly JobInWorld[]): void {
    for (const job of shown) this.#shownJobs.add(job);
  }

  destroysOther({ id, swept }: Other): void {
    if (this.eye.phase === "sweep" && swept !== "never") return;
    if (this.eye.phase === "first sweep" && swept === "by any sweep") return;
    this.eye.say("only what is ours is destroyed", `instance ${id} is somebody else's`);
  }

  destroys(box: Box): void {
    const { now } = this.#world;
    const { phase } = this.eye;
    this.#post.destroys(box);
    const isMain = phase === "main" || phase === "failing";
    const isAllowed = phase === "sweep" ? !this.isRunOpen : !isMain;
    if (isAllowed || now >= box.deadline) return;
    const job = jobOn(box, now);
    if (job !== undefined)
      this.eye.say("a running job keeps its machine", `'${job.name}' runs, and its instance ${box.id} is destroyed`);
    // A job that began since main's last look nobody can know of.
    const isSeen = (each: Box) => (jobOn(each, now)?.startedAt ?? now) <= now - LOOK_MS;
    const twin = twinsOf(this.#world, box).find(isSeen);
    if (job === undefined && twin !== undefined && isUp(box, now))
      this.eye.say(
        "machines of one create are not ended under its job",
        `instance ${box.id}, while its twin has a job`,
      );
  }

  removesInVain(runner: RunnerInWorld): void {
    const { now } = this.#world;
    const times = (this.#inVain.get(runner) ?? []).filter((at) => now - at < IN_VAIN_WITHIN_MS);
    this.#inVain.set(runner, [...times, now]);
    if (times.length >= MOST_IN_VAIN)
      this.eye.say(
        "GitHub is not asked too often",
        `it says for the ${MOST_IN_VAIN}th time that runner ${runner.id} is busy`,
      );
  }

  removes(runner: RunnerInWorld): void {
    if (this.eye.phase !== "main" || runner.job !== undefined) return;
    const { boxes, now } = this.#world;
    const sharing = boxes.filter((box) => box.runners.includes(runner) && isUp(box, now));
    const others = boxes.filter((box) => isHopeful(box, now) && !sharing.includes(box));
    // Of two that can both serve nobody nothing is kept; after a red job the machine ends.
    const isRed = this.#world.jobs.some(
      ({ box, conclusion }) => box && sharing.includes(box) && conclusion === "failure",
    );
    const isOfUse = !isRed && sharing.some((box) => !box.host.isDeaf && !hasFailed(box, now) && mayListen(box));
    if (sharing.length > 1 && isOfUse && this.#hunger.waiting().length > others.length)
      this.eye.say("a shared runner is kept for its job", `runner ${runner.id} is deleted, and a job waits`);
  }

  /** A host is remembered as one that failed. */
  remembers(kind: string, machine: number): void {
    const boxes = this.#world.boxes.filter(({ offer }) => offer * 100 === machine);
    const isShared = boxes.some((box) => twinsOf(this.#world, box).length > 0);
    // Who can't see it or its runner, or sees a job on it that is over, can't know what it ended with.
    const places = ["jobs", "job-token", "runners", "github-token", "get", "service"] as const;
    const isOld = this.eye.faults.wasMetSince(places, this.#world.now - 2 * MINUTE_MS);
    // Where main holds nothing it asks for no jobs: those that need it come after it.
    const hasServed = !this.#world.story.hold && this.#world.jobs.some(({ box }) => box && boxes.includes(box));
    if (kind !== "failed" || isShared || isOld || hasServed) return;
    if (boxes.some((box) => hasFailed(box, this.#world.now) || isPassedOver(this.#world, box))) return;
    this.eye.say("no host is blamed for our own ending", `machine ${machine} is remembered as bad`);
  }

  /** Main's loop has ended by itself. */
  ended(end: MainEnd): void {
    const { faults } = this.eye;
    const { boxes, now, story } = this.#world;
    const areJobsDoubtful = faults.wasMetSince(["jobs", "job-token"], now - 2 * MINUTE_MS);
    const areRunnersDoubtful = (since: number) => faults.wasMetSince(["runners", "github-token"], since);
    const seen = { listedAts: this.#listedAts, areJobsDoubtful, areRunnersDoubtful, shownJobs: this.#shownJobs };
    isEndTrue(end, this.#world, seen, (rule, text) => this.eye.say(rule, text));
    if (end.kind !== "stopped" || !story.hold) return;
    const why = whyNoReason(end, this.eye, this.#hunger);
    if (why !== undefined) this.eye.say("the end blames what is so", `${end.error?.name} (${end.stop}): ${why}`);
    if (boxes.some((box) => jobOn(box, now) && !box.isLate))
      this.eye.say("the end is true of the jobs", "renting has stopped, and a job runs");
  }

  /** Nobody comes any more but a sweep. */
  postEnded(undestroyed: readonly string[], end: MainEnd | undefined): void {
    this.#post.ended(undestroyed, end);
  }

  /** A sweep has ended that knew that the run is over, or that every label has expired. */
  swept(): void {
    const { boxes, now } = this.#world;
    const left = boxes.filter(({ goneAt }) => goneAt > now).map(({ id }) => id);
    const wasDown = this.eye.faults.wasMetSince(["service", "list", "get", "destroy"], now - 5 * MINUTE_MS);
    if (left.length > 0 && !wasDown) this.eye.say("nothing bills after a sweep", `${left.join(", ")} does`);
  }

  #checkAsked(): void {
    const { now } = this.#world;
    const nth = this.asked.at(-MOST_ASKED - 1);
    if (nth !== undefined && now - nth < MINUTE_MS)
      this.eye.say("GitHub is not asked too often", `more than ${MOST_ASKED} requests in a minute`);
  }

  /** Main ends, at the latest when nothing has been left to do for a while. */
  #checkEnd(): void {
    const { jobs, now, story } = this.#world;
    if (now > this.#bound) this.eye.say("every story ends, and no fault is a bug", "it goes on and on");
    const toCome = ({ appearedAt, overAt }: JobInWorld) => Number.isFinite(appearedAt) && overAt > now;
    const came = jobs.filter(({ box, overAt }) => box !== undefined && overAt <= now).length;
    // Those that run elsewhere may bring further ones.
    const isEnough = came >= (story.jobs === "auto" ? 1 : story.jobs);
    const isOpen = (job: JobInWorld) => toCome(job) && !(isEnough && isElsewhere(job, now));
    const isLeft = jobs.some(isOpen) || story.othersUntilS * 1000 > now;
    const isExcused =
      this.eye.isBlind(2 * MINUTE_MS) || this.eye.faults.wasMetSince(["destroy", "remove"], now - 2 * MINUTE_MS);
    const mostMs = LINGERS_MS + (story.waitForJobS + story.idleS + story.keepFailedS + story.jobsLagS) * 1000;
    if (this.eye.lasting.of("nothing left", story.hold && !isLeft && !isExcused) > mostMs)
      this.eye.say("every story ends, and no fault is a bug", "nothing is left to do, and main goes on");
  }
}
