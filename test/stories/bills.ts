import { type Eye, LOOK_MS } from "./eye.ts";
import type { Written } from "./outside.ts";
import type { Box, Rented } from "./things.ts";
import { isElsewhere, isHeld, isUp } from "./things.ts";
import { isHopeful, mayListen, twinsOf } from "./truth.ts";

/** The longest pause before a refused removal is repeated. */
const REFUSED_AGAIN_MS = 300_000;
const MINUTE_MS = 60_000;
/** To destroy a machine, and to be asked again after the service gave no answer. */
const GIVEN_BACK_MS = 200_000;
/** A machine that no job needs bills so long at most, beside what lists lag. */
const UNNEEDED_MS = 120_000;
/** More machines than the inputs allow stand so long at most: a create that nobody knew of, or one of another run, is seen late. */
const TOO_MANY_MS = 240_000;
/** Whoever of the repository's runs came last sees that, and gives its machine back. */
const OF_ALL_RUNS_MS = 90_000;
/** Who can't read what a dead machine's job came to may keep it for so long. */
const UNREAD_FOR_MS = 600_000;
const MOST_CREATES = 150;

/** What bills, and for how long. */
export class BillRules {
  readonly #eye: Eye;
  readonly #written: Written;
  readonly #sent = new Set<number>();
  #creating = 0;
  #creates = 0;

  constructor(eye: Eye, written: Written) {
    this.#eye = eye;
    this.#written = written;
  }

  get isCreating(): boolean {
    return this.#creating > 0;
  }

  look(): void {
    this.#checkBoxes();
    if (this.#eye.phase !== "main") return;
    this.#checkCount();
    this.#checkRepository();
    this.#checkNeed();
  }

  creates(wanted: Rented): void {
    const { label, n } = wanted;
    const { boxes, jobs, now, story } = this.#eye.world;
    this.#creates += 1;
    const asWritten = (text: string) => this.#eye.say("one create at a time, and written down", text);
    if (this.#sent.has(n)) asWritten(`create ${n} is sent again`);
    this.#sent.add(n);
    if (this.#creating > 0) asWritten("two creates are in flight");
    if (this.#written.ledger.pending.get(n) !== label) asWritten(`create ${n} leaves, and is not written down`);
    if (this.#creates > MOST_CREATES)
      this.#eye.say("every story ends, and no fault is a bug", "creates without an end");
    this.#creating += 1;
    const bills = boxes.filter(
      (box) => this.#isCounted(box) && box.goneAt > now && !jobs.some((job) => job.box === box),
    );
    if (bills.length >= story.machines)
      this.#eye.say(
        "no more machines than allowed",
        `create ${n} leaves, and ${bills.length} bill that no job came to`,
      );
    // Where nobody holds one machine is rented, for whichever job comes to it.
    const hasServed = !story.hold && jobs.some(({ box, conclusion }) => box !== undefined && conclusion === "success");
    if (hasServed && this.#eye.world.queued().length === 0 && !this.#eye.isBlind(2 * MINUTE_MS))
      this.#eye.say("nobody keeps what no job needs", `create ${n} leaves, and the only job was served`);
    this.#checkCost(wanted);
  }

  created(): void {
    this.#creating -= 1;
  }

  /** As far as main can know: it is the machine of a create that was answered, and not one that GitHub keeps busy without a job. */
  #isCounted({ current, isLate, isTwin }: Box): boolean {
    const isStuck = current !== undefined && current.job === undefined && isHeld(current, this.#eye.world.now);
    return !isLate && !isTwin && !isStuck;
  }

  #checkCost({ bid, deadline, offer }: Rented): void {
    const { now, story } = this.#eye.world;
    if (story.maxCost === undefined) return;
    const price = bid ?? this.#eye.world.hostOf(offer).price;
    // It was decided before it had to wait for its turn, and the list may be one of a destruction:
    // main ends a second instance as soon as its own look shows it.
    const most = this.#eye.committed(now - LOOK_MS) + (price * (deadline - now)) / 3_600_000;
    const slack = 0.02 * story.maxCost + (this.#creates * price * MINUTE_MS) / 3_600_000;
    if (most > story.maxCost + slack)
      this.#eye.say(
        "max-cost is kept",
        `all machines may cost ${most.toFixed(3)} of ${story.maxCost} until their deadlines`,
      );
  }

  #checkBoxes(): void {
    const { faults, lasting, phase, world } = this.#eye;
    const { boxes, now, story } = world;
    const needed = ["service", "list", "get", "destroy", "remove", "github-token"] as const;
    const isAway = faults.wasMetSince(needed, now - MINUTE_MS);
    for (const box of boxes) {
      const bills = box.goneAt > now && !box.isLate && !isAway && phase === "main";
      const slack = GIVEN_BACK_MS + (box.host.destroyS + box.host.listedS) * 1000;
      if (lasting.of(`deadline ${box.id}`, bills && now >= box.deadline) > slack)
        this.#eye.say("nothing bills after its deadline", `instance ${box.id} does`);
      const kept = slack + story.keepFailedS * 1000;
      // What its job came to is read before it goes, as long as that may take.
      const isUnread = faults.wasMetSince(["jobs", "job-token"], now - kept - MINUTE_MS);
      if (lasting.of(`dead ${box.id}`, bills && now >= box.deadAt) > kept + (isUnread ? UNREAD_FOR_MS : 0))
        this.#eye.say("nothing dead is kept", `instance ${box.id} (${box.host.fate})`);
    }
  }

  #checkCount(): void {
    const { faults, lasting, world } = this.#eye;
    const { boxes, now, story } = world;
    const hasUse = (box: Box) => mayListen(box) && box.runners.some(({ goneAt }) => goneAt > now);
    // Nobody makes room for a machine that GitHub kept busy without a job when that is over.
    const wasStuck = ({ runners }: Box) => runners.some(({ stuckUntil }) => stuckUntil > 0);
    const counted = boxes.filter((box) => box.goneAt > now && this.#isCounted(box) && !wasStuck(box));
    const usable = counted.filter((box) => isUp(box, now) && hasUse(box));
    if (usable.length > story.machines) this.#eye.say("no more machines than allowed", `${usable.length} are alive`);
    const isAway = faults.wasMetSince(["service", "list", "get", "destroy"], now - MINUTE_MS);
    const slowest = Math.max(0, ...counted.map(({ host }) => host.destroyS + host.listedS)) * 1000;
    const keptMs = story.keepFailedS * 1000;
    if (lasting.of("too many", counted.length > story.machines && !isAway) > TOO_MANY_MS + slowest + keptMs)
      this.#eye.say("no more machines than allowed", `${counted.length} have billed for minutes`);
  }

  /** All runs of the repository together: the youngest go. Those with a job are left to it. */
  #checkRepository(): void {
    const { faults, lasting, world } = this.#eye;
    const { account, now, story } = world;
    // Who can't see the others' machines, or can't remove a runner of its own, gives none back.
    const needed = ["service", "list", "get", "destroy", "remove", "github-token"] as const;
    const isAway = faults.wasMetSince(needed, now - MINUTE_MS);
    const boxes = account
      .flatMap((each) => each.boxes)
      .filter(({ goneAt, isLate, isTwin }) => goneAt > now && !isLate && !isTwin)
      .sort((left, right) => left.id - right.id);
    const jobs = account.flatMap((each) => each.jobs);
    const tooMany = boxes.slice(account.length > 1 ? story.machinesPerRepository : boxes.length);
    for (const box of boxes) {
      const isOver = !isAway && tooMany.includes(box) && !jobs.some((job) => job.box === box && job.overAt > now);
      const { destroyS, listedS } = box.host;
      if (lasting.of(`repository ${box.id}`, isOver) > OF_ALL_RUNS_MS + (destroyS + listedS) * 1000)
        this.#eye.say(
          "no more machines than allowed",
          `${boxes.length} of the repository, which may have ${story.machinesPerRepository}: instance ${box.id}`,
        );
    }
  }

  /** Needed by no job, as all lists show. */
  #checkNeed(): void {
    const { faults, lasting, world } = this.#eye;
    const { boxes, jobs, now, story } = world;
    const came = jobs.filter((job) => job.queuedAt <= now && !isElsewhere(job, now)).length;
    const isExpected = (story.jobs !== "auto" && came < story.jobs) || (came === 0 && story.waitForJobS === 0);
    const isStuck = faults.wasMetSince(["remove", "destroy", "get"], now - MINUTE_MS) || this.#eye.isBlind(MINUTE_MS);
    const isQuiet = story.hold && !isExpected && world.queued().length === 0 && !isStuck;
    for (const box of boxes) {
      // A runner that GitHub refused to remove is asked for again some minutes later.
      const isRefused = box.runners.some(({ stuckUntil }) => now - stuckUntil < REFUSED_AGAIN_MS);
      const isKept = isHopeful(box, now) && this.#isCounted(box) && twinsOf(world, box).length === 0;
      const isIdle = isQuiet && isKept && !isRefused;
      const slack =
        (story.jobsLagS + story.jobsTakeS * 2 + story.runnersLagS + box.host.destroyS + box.host.listedS) * 1000;
      if (lasting.of(`idle ${box.id}`, isIdle) > UNNEEDED_MS + slack)
        this.#eye.say("nobody keeps what no job needs", `instance ${box.id}`);
    }
  }
}
