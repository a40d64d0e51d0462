import { UserError } from "../../../src/shared/user-error.ts";
import type { MainEnd } from "../drive.ts";
import { FALSE } from "../fault.ts";
import { awayOf, isUp } from "../things.ts";
import { MINUTE_MS, Rules } from "./eye.ts";
import type { Ended, Job, Machine } from "./record.ts";

/** What a job came to. `either`: by what anybody can see it is one or the other. */
type Fate = "open" | "good" | "failed" | "lost" | "either";

/** A machine's end and that of its job are seen in lists that are asked for so far apart. */
const SEEN_MS = 60_000;
/** A job is in each list that is asked for so long after it appeared. */
const LISTED_MS = 30_000;
/** A list of the service may be as it was so long before: who asks later can't tell what came first. */
const LIST_LAG_MS = 90_000;
/** Two lists of a busy machine are so far apart, with the time that they take. */
const LISTS_APART_MS = 16_000;
/** The last tick of the machine's guard, how far clocks differ, and two lists between which its runner came online. */
const ENDED_BY_DEADLINE_MS = 60_000;
/** A token that was refused is left alone for so long, and nobody sees runners meanwhile. */
const TOKEN_RESTS_MS = 120_000;

/** Whether main's verdict is true of the jobs. */
export class EndRules extends Rules {
  /** When the service answered with its whole list. */
  readonly #listedAts: number[] = [];

  lists(): void {
    this.#listedAts.push(this.eye.now);
  }

  ended({ isGreen, named, verdict }: Ended): void {
    const visible = this.#visibleJobs();
    const isHidden = this.eye.met(["jobs"], 2 * MINUTE_MS, FALSE);
    for (const job of visible)
      if (named.includes(job.id) && this.#fateOf(job) === "good" && !isHidden)
        this.#false(`it fails with '${job.name}', which did well`);
    if (verdict !== undefined) return this.#checkVerdict(verdict, visible);
    if (isGreen && this.eye.record.story.hold)
      for (const job of visible)
        if (this.#fateOf(job) !== "good") this.#false(`it ends well, and '${job.name}' did not`);
  }

  /** In a run in which nothing went wrong each job that could do well has done so. */
  checkCalm(able: readonly number[]): void {
    const left = this.#visibleJobs().filter((job) => able.includes(job.id) && this.#fateOf(job) !== "good");
    for (const { name } of left)
      this.eye.say("a waiting job gets a machine", `nothing went wrong, and '${name}' did not do well`, true);
  }

  #false(what: string): void {
    this.eye.say("the end is true of the jobs", what);
  }

  /** Those of ours that each list must show by now: one that lacks one, and says that it is whole, hides it from all. */
  #visibleJobs(): Job[] {
    const { jobs, now, story } = this.eye.record;
    const at = now - story.jobsLagS * 1000 - LISTED_MS;
    return jobs.filter((job) => job.appearedAt <= at && job.shownAt <= now && !isOfAnother(job, now));
  }

  #checkVerdict({ bad, error, kind, lost }: MainEnd, visible: readonly Job[]): void {
    const { boxes, jobs, now, story } = this.eye.record;
    if (error !== undefined && !(error instanceof UserError))
      this.eye.say("every story ends, and no fault is a bug", `${error.stack}`);
    if (kind === "over") {
      const named = jobs.filter(({ id }) => [...bad, ...lost].includes(id));
      for (const job of named.filter((each) => isOfAnother(each, now - SEEN_MS)))
        this.#false(`it fails with '${job.name}', which another session's machine runs`);
      for (const job of visible) this.#checkJob(job, { bad, lost });
    }
    // One that a job had was ready, however late main could see that.
    const hadJob = (box: Machine) => jobs.some((job) => job.box === box);
    const isServed = boxes.some((box) => isUp(box, now) || now - box.deadAt < 30_000 || hadJob(box));
    if (kind === "ready" && !isServed) this.#false("nothing is ready");
    const saysNone = ["none-came", "none-asked", "none-to-come", "no-other-job"].includes(kind);
    const areDoubtful = this.eye.met(["jobs", "job-token"], 2 * MINUTE_MS);
    if (saysNone && visible.length > 0 && story.hold && !areDoubtful) this.#false(`${kind}, and some came`);
  }

  #checkJob(job: Job, { bad, lost }: Pick<MainEnd, "bad" | "lost">): void {
    const { now } = this.eye;
    const seen = this.#fateOf(job);
    const fate = seen === "lost" && !this.#wasTold(job.box) ? "either" : seen;
    const [isBad, isLost] = [bad.includes(job.id), lost.includes(job.id)];
    const isRunning = job.startedAt <= now && job.overAt > now && job.lostAt === undefined;
    if (fate === "open" && (isRunning || !isLost)) this.#false(`it ends as over, and '${job.name}' is not`);
    if (!isBad && !isLost && fate !== "open" && fate !== "good") this.#false(`it ends well, and '${job.name}' did not`);
    const calls = (text: string) => this.eye.say("failed is failed, lost is lost", `'${job.name}' ${text}`);
    if (fate === "failed" && isLost) calls("failed by itself, and is called lost");
    if (fate === "lost" && isBad) calls(`was lost, and is called failed: ${job.box?.host?.fate}`);
  }

  /** True if a list, late as it is, could tell what became of the machine. It shows a stopped one only until it is gone. */
  #wasTold({ deadAt = 0, goneAt = deadAt }: Partial<Machine> = {}): boolean {
    const lagMs = this.eye.record.story.instancesLagS * 1000;
    return this.#listedAts.some((at) => at - lagMs >= deadAt && (at - lagMs <= goneAt || goneAt <= deadAt));
  }

  /** From when on nobody can tell a job's own end from that of its machine's time, which its script ends a little before. */
  #endsFrom({ createdAt, deadline }: Machine): number {
    const { jobsTakeS, lifetimeS, otherJobs } = this.eye.record.story;
    const { faults } = this.eye;
    // Jobs that a false list lacks are asked for one by one.
    const areDoubtful =
      faults.wasMetSince(["runners", "github-token", "jobs"], createdAt) ||
      faults.wasMetSince(["runners", "github-token"], createdAt - TOKEN_RESTS_MS, ["401", "403", "404"]);
    const earliest = createdAt + lifetimeS * 1000;
    // Runners are not looked at while the jobs are read, page by page.
    const apartMs = jobsTakeS * (1 + Math.ceil(otherJobs / 100)) * 1000;
    return (areDoubtful ? Math.min(deadline, earliest) : deadline) - ENDED_BY_DEADLINE_MS - apartMs;
  }

  #fateOf({ box, conclusion, isCut = false, lostAt, overAt, story }: Job): Fate {
    const { now } = this.eye;
    if (story?.asksForMore) return "failed";
    if (overAt > now || conclusion === undefined) return lostAt === undefined ? "open" : "either";
    if (conclusion === "success") return "good";
    const isAtDeadline = box !== undefined && overAt >= this.#endsFrom(box);
    if (isCut || isAtDeadline || conclusion === "cancelled") return "either";
    const host = box?.host;
    const fate = host?.fate ?? "";
    // It came back a moment before its job's end: no look need have fallen in between.
    const wasAway = ["silent", "runner away", "cut off"].includes(fate);
    const [, backAt] = wasAway && host !== undefined ? awayOf({ createdAt: box?.createdAt ?? 0, host }) : [];
    if (backAt !== undefined && backAt <= overAt && overAt - backAt < SEEN_MS / 2) return "either";
    const isTold = fate === "outbid" || fate === "stopped";
    // The service stopped it soon after: nobody can tell which came first before a list that lags can show it running.
    const isStoppedAfter = isTold && (box?.deadAt ?? 0) - overAt < LIST_LAG_MS + LISTS_APART_MS;
    if (lostAt === undefined) return isStoppedAfter ? "either" : "failed";
    const wasSeen = now - overAt >= SEEN_MS || overAt - lostAt >= SEEN_MS;
    return isTold || (fate === "vanishes" && wasSeen) ? "lost" : "either";
  }
}

/** Another session's machine runs it. */
function isOfAnother({ box, startedAt, story }: Job, now: number): boolean {
  return story?.elsewhereS !== undefined && box === undefined && startedAt <= now;
}
