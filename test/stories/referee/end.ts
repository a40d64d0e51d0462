import { UserError } from "../../../src/shared/user-error.ts";
import type { MainEnd } from "../drive.ts";
import { FALSE } from "../fault.ts";
import { isUp } from "../things.ts";
import { MINUTE_MS, Rules } from "./eye.ts";
import type { Ended, Job, Machine } from "./record.ts";
import { jobOn } from "./truth.ts";

/** What a job came to. `either`: by what anybody can see it is one or the other. */
type Fate = "open" | "good" | "failed" | "lost" | "either";

/** A job is in each list that is asked for so long after it appeared. */
const LISTED_MS = 30_000;
/** Main looks twice within that: it has seen a machine dead before its job is over. */
const SEEN_MS = 35_000;
/** The last tick of the machine's guard, how far clocks differ, and two lists between which its runner came online. */
const ENDED_BY_DEADLINE_MS = 60_000;

/** Whether main's verdict is true of the jobs. */
export class EndRules extends Rules {
  ended({ isGreen, named, verdict }: Ended): void {
    const visible = this.#visibleJobs();
    const isHidden = this.eye.met(["jobs"], 2 * MINUTE_MS, FALSE);
    for (const job of visible)
      if (named.includes(job.id) && this.#fateOf(job) === "good" && !isHidden)
        this.#false(`it fails with '${job.name}', which did well`);
    if (verdict !== undefined) this.#checkVerdict(verdict, visible);
    else if (isGreen && this.eye.record.story.hold)
      for (const job of visible)
        if (this.#fateOf(job) !== "good") this.#false(`it ends well, and '${job.name}' did not`);
    this.#checkCalm(visible);
  }

  /** In a run in which nothing went wrong but machines each job that could do well has done so. */
  #checkCalm(visible: readonly Job[]): void {
    const { driven, record } = this.eye;
    const able = record.story.hold ? (driven.able ?? []) : [];
    for (const job of visible)
      if (able.includes(job.id) && this.#fateOf(job) !== "good")
        this.eye.say("a waiting job gets a machine", `nothing went wrong, and '${job.name}' did not do well`, true);
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
      for (const job of named.filter((each) => isOfAnother(each, now - MINUTE_MS)))
        this.#false(`it fails with '${job.name}', which another session's machine runs`);
      for (const job of visible) this.#checkJob(job, { bad, lost });
    }
    if (kind === "stopped" && story.hold && boxes.some((box) => !box.isLate && jobOn(this.eye.record, box)))
      this.#false("renting has stopped, and a job runs");
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
    const fate = this.#fateOf(job);
    const [isBad, isLost] = [bad.includes(job.id), lost.includes(job.id)];
    const isRunning = job.startedAt <= now && job.overAt > now && job.lostAt === undefined;
    if (fate === "open" && (isRunning || !isLost)) this.#false(`it ends as over, and '${job.name}' is not`);
    if (!isBad && !isLost && fate !== "open" && fate !== "good") this.#false(`it ends well, and '${job.name}' did not`);
    const calls = (text: string) => this.eye.say("failed is failed, lost is lost", `'${job.name}' ${text}`);
    if (fate === "failed" && isLost) calls("failed by itself, and is called lost");
    if (fate === "lost" && isBad) calls(`was lost, and is called failed: ${job.box?.host?.fate}`);
  }

  /** Which of the two it was is judged where every answer was true and prompt, and nothing else befell its machine. */
  #fateOf({ box, conclusion, isCut = false, lostAt, overAt, story }: Job): Fate {
    if (story?.asksForMore) return "failed";
    if (overAt > this.eye.now || conclusion === undefined) return lostAt === undefined ? "open" : "either";
    if (conclusion === "success") return "good";
    const { lifetimeS } = this.eye.record.story;
    const isAtDeadline = box !== undefined && overAt >= box.createdAt + lifetimeS * 1000 - ENDED_BY_DEADLINE_MS;
    if (isCut || isAtDeadline || conclusion === "cancelled" || !this.eye.isClear) return "either";
    const { blipForS = 0, fate = "works" } = box?.host ?? {};
    if (lostAt === undefined) return fate === "works" && blipForS === 0 ? "failed" : "either";
    const isShown = ["outbid", "stopped", "vanishes"].includes(fate);
    return isShown && overAt - lostAt >= SEEN_MS ? "lost" : "either";
  }
}

/** Another session's machine runs it. */
function isOfAnother({ box, startedAt, story }: Job, now: number): boolean {
  return story?.elsewhereS !== undefined && box === undefined && startedAt <= now;
}
