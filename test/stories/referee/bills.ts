import { FALSE } from "../fault.ts";
import type { Story } from "../story.ts";
import { type Box, isUp } from "../things.ts";
import type { World } from "../world.ts";
import { idsOf, LOOK_MS, MINUTE_MS, NEVER, Rules } from "./eye.ts";
import type { Happening, Job, Machine } from "./record.ts";
import type { Rule } from "./rule.ts";
import { committed, isHopeful, mayListen, twinsOf } from "./truth.ts";

type Create = Extract<Happening, { what: "creates" }>["create"];

/** To destroy a machine, and to be asked again after the service gave no answer. */
const GIVEN_BACK_MS = 200_000;
/** A machine that no job needs bills so long at most, beside what lists lag. */
const UNNEEDED_MS = 120_000;
/** Who can't read what a dead machine's job came to may keep it for so long. */
const UNREAD_FOR_MS = 600_000;
const MOST_CREATES = 150;
/** What giving a machine back needs. */
const GIVING_BACK = ["service", "list", "get", "destroy", "remove", "github-token"] as const;

/** What bills, and for how long. */
export class BillRules extends Rules {
  readonly #sent = new Set<number>();
  #creating = 0;

  look(): void {
    if (this.eye.phase === "main" || this.eye.phase === "failing") this.#checkMachines();
    if (this.eye.phase !== "main") return;
    this.#checkCount();
    if (this.world !== undefined && !this.#mayBeHeld()) this.#checkNeed(this.world);
  }

  creates({ create }: { create: Create }): void {
    const { n } = create;
    const { boxes, jobs, now, story } = this.eye.record;
    const asWritten = (text: string) => this.eye.say("one create at a time, and written down", text);
    if (this.#sent.has(n)) asWritten(`create ${n} is sent again`);
    this.#sent.add(n);
    if (this.#creating > 0) asWritten("two creates are in flight");
    if (this.eye.driven.isPending?.(create) === false) asWritten(`create ${n} leaves, and is not written down`);
    if (this.#sent.size > MOST_CREATES)
      this.eye.say("every story ends, and no fault is a bug", "creates without an end");
    this.#creating += 1;
    const hadJob = (box: Machine) => jobs.some((job) => job.box === box && job.startedAt <= now);
    const isIdle = (box: Machine) => box.n !== n && !hadJob(box) && (box.overAt ?? NEVER) > now;
    const bills = boxes.filter((box) => isCounted(box) && isThere(box, now) && isIdle(box));
    if (bills.length >= story.machines && !this.#mayBeHeld())
      this.eye.say("no more machines than allowed", `create ${n} leaves, and ${idsOf(bills)} had no job`);
    if (this.world === undefined) return;
    // Where nobody holds one machine is rented, for whichever job comes to it.
    const hasServed = !story.hold && jobs.some(({ box, conclusion }) => box !== undefined && conclusion === "success");
    if (hasServed && this.world.queued().length === 0 && !this.eye.isBlind(2 * MINUTE_MS))
      this.eye.say("nobody keeps what no job needs", `create ${n} leaves, and the only job was served`);
    this.#checkPromise(this.world, create);
  }

  created(): void {
    this.#creating = Math.max(0, this.#creating - 1);
  }

  /** What main knew of is paid by `max-cost`, but for the last minute of each and a little of reckoning. */
  checkBill(): void {
    const { boxes, story } = this.eye.record;
    const most = story.maxCost ?? NEVER;
    const bills = boxes.filter(isCounted).flatMap(({ billed }) => billed ?? []);
    const sum = bills.reduce((all, { cost }) => all + cost, 0);
    if (sum > bills.reduce((all, { hourly }) => all + hourly / 60, 1.02 * most))
      this.eye.say("max-cost is kept", `all machines cost ${sum.toFixed(4)} USD, and max-cost is ${most}`);
  }

  /** GitHub may keep runners busy without a job of ours: nobody counts on their machines, and nobody can end them soon. */
  #mayBeHeld(): boolean {
    const isStuck = this.eye.record.story.hosts.some(({ stuckS }) => stuckS > 0);
    return isStuck || this.eye.met(["remove"], NEVER);
  }

  /** What all machines may cost by now, with the one that is asked for. */
  #checkPromise(world: World, { bid, deadline, offer }: Create): void {
    const { now, story } = world;
    if (story.maxCost === undefined || deadline === undefined || offer === undefined) return;
    const price = bid ?? world.hostOf(offer).price;
    // It was decided before it had to wait for its turn, and the list may be one of a destruction:
    // main ends a second instance as soon as its own look shows it.
    const most = committed(world, now - LOOK_MS) + (price * (deadline - now)) / 3_600_000;
    const slack = 0.02 * story.maxCost + (this.#sent.size * price * MINUTE_MS) / 3_600_000;
    if (most > story.maxCost + slack)
      this.eye.say("max-cost is kept", `all may cost ${most.toFixed(3)} of ${story.maxCost} until their deadlines`);
  }

  /** Breaks a rule where this has been so of a machine for longer than that, and what lists lag. */
  #mayNotLast(rule: Rule, box: Machine, isSo: boolean, mostMs: number): void {
    if (this.eye.lasting(`${rule} ${box.id}`, isSo) > mostMs + listedAfterMs(box))
      this.eye.say(rule, `${idsOf([box])} (${box.host?.fate ?? "by the books"})`);
  }

  #checkMachines(): void {
    const { boxes, now, story } = this.eye.record;
    const isAway = this.eye.met(GIVING_BACK, MINUTE_MS);
    for (const box of boxes) {
      const bills = isThere(box, now) && !box.isLate && !isAway;
      const isLate = bills && now >= this.#deadlineOf(box);
      this.#mayNotLast("nothing bills after its deadline", box, isLate, GIVEN_BACK_MS);
      const keptMs = GIVEN_BACK_MS + story.keepFailedS * 1000;
      // What its job came to is read before it goes, as long as that may take.
      const isUnread = this.eye.met(["jobs", "job-token"], keptMs + listedAfterMs(box) + MINUTE_MS);
      const mostMs = keptMs + (isUnread ? UNREAD_FOR_MS : 0);
      // A main that fails looks at no machine that it keeps: its deadline bounds that.
      const isDead = bills && now >= box.deadAt && this.eye.phase === "main";
      this.#mayNotLast("nothing dead is kept", box, isDead, mostMs);
    }
  }

  /**
   * Its deadline, as main can know it. Its time counts from its first runner online, which requests that fail hide. A
   * main that fails asks for no runner: its machine ends itself then, or by the deadline of its create.
   */
  #deadlineOf({ deadline, ordered = deadline, runners = [] }: Machine): number {
    const onlineAt = Math.min(...runners.map((runner) => runner.onlineAt));
    const isKnown = onlineAt + LOOK_MS < this.eye.mainEndedAt && !this.eye.met(["runners", "github-token"], NEVER);
    return isKnown ? deadline : ordered;
  }

  #checkCount(): void {
    const { boxes, now, story } = this.eye.record;
    const known = boxes.filter((box) => isThere(box, now) && isCounted(box));
    const usable = known.filter((box) => isUp(box, now) && !isOver(box, now));
    // By a false list of jobs a machine has none, and GitHub keeps it busy all the same.
    const isMisled = this.eye.met(["jobs"], 2 * MINUTE_MS, FALSE) || this.#mayBeHeld();
    if (usable.length > story.machines && !isMisled)
      this.eye.say("no more machines than allowed", `${idsOf(usable)} are alive`);
    const isExcused = isMisled || this.eye.met(["service", "list", "get", "destroy"], MINUTE_MS);
    const counted = known.filter((box) => !this.#isGoing(box));
    const mostMs = MINUTE_MS + Math.max(0, ...counted.map(listedAfterMs));
    if (this.eye.lasting("too many", counted.length > story.machines && !isExcused) > mostMs)
      this.eye.say("no more machines than allowed", `${idsOf(counted)} bill, and those that are over stay`);
  }

  /** No job can come to it any more, and it has time to go, or is kept for a look. Another one takes its place meanwhile. */
  #isGoing(box: Machine): boolean {
    const { now, story } = this.eye.record;
    const isDone = isOver(box, now);
    const mostMs = GIVEN_BACK_MS + story.keepFailedS * 1000 + listedAfterMs(box);
    return this.eye.lasting(`over ${box.id}`, isDone) <= mostMs && isDone;
  }

  /** Needed by no job, as all lists show. */
  #checkNeed(world: World): void {
    const { boxes, jobs, now, story } = world;
    const isElsewhere = ({ box, startedAt }: Job) => box === undefined && startedAt <= now;
    const came = jobs.filter((job) => job.queuedAt <= now && !isElsewhere(job)).length;
    const isExpected = (story.jobs !== "auto" && came < story.jobs) || (came === 0 && story.waitForJobS === 0);
    const isStuck = this.eye.isBlind(MINUTE_MS) || this.eye.met(["destroy", "get"], MINUTE_MS);
    const isQuiet = story.hold && !isExpected && world.queued().length === 0 && !isStuck;
    for (const box of boxes) {
      const isIdle = isQuiet && isHopeful(box, now) && isCounted(box) && twinsOf(world, box).length === 0;
      this.#mayNotLast("nobody keeps what no job needs", box, isIdle, UNNEEDED_MS + lagsMs(story));
    }
  }
}

function isThere({ createdAt, goneAt }: Machine, now: number): boolean {
  return createdAt <= now && goneAt > now;
}

/** As far as main can know: it is the machine of a create that was answered. */
function isCounted({ isLate, isTwin }: Machine): boolean {
  return !isLate && !isTwin;
}

/** No job can come to it any more. */
function isOver(box: Machine, now: number): boolean {
  const { overAt = NEVER, runners } = box;
  // By what the books say of its runners.
  if (runners === undefined) return overAt <= now;
  // One whose job is over is listed for a while, and gets no other.
  return !(mayListen(box as Box) && runners.some(({ goneAt, job }) => goneAt > now && (job?.overAt ?? NEVER) > now));
}

/** How late GitHub's lists show something, and how long they take to read. */
function lagsMs({ jobsLagS, jobsTakeS, runnersLagS }: Story): number {
  return (jobsLagS + jobsTakeS * 2 + runnersLagS) * 1000;
}

/** How long its host delays what lists show of it. */
function listedAfterMs({ host }: Machine): number {
  return ((host?.destroyS ?? 0) + (host?.listedS ?? 0)) * 1000;
}
