import { UserError } from "../../src/shared/user-error.ts";
import type { MainEnd } from "./drive.ts";
import type { Rule } from "./rule.ts";
import { awayOf, type Box, isElsewhere, isUp, type JobInWorld } from "./things.ts";
import type { World } from "./world.ts";

type Say = (rule: Rule, text: string) => void;

/** What a job came to. `either`: by what anybody can see it is one or the other. */
type Fate = "open" | "good" | "failed" | "lost" | "either";

/** A machine's end and that of its job are seen in lists that are asked for so far apart. */
const SEEN_MS = 60_000;
/** A list of the service may be as it was so long before: who asks later can't tell what came first. */
const LIST_LAG_MS = 90_000;
/** Two lists of a busy machine are so far apart, with the time that they take. */
const LISTS_APART_MS = 16_000;

/** Whether main's verdict is true of the jobs. */
export function isEndTrue(end: MainEnd, world: World, given: Omit<AtEnd, "visible" | "world">, say: Say): void {
  const { now } = world;
  if (end.error !== undefined && !(end.error instanceof UserError))
    say("every story ends, and no fault is a bug", `${end.error.stack}`);
  const visible = visibleJobs(world).filter((job) => given.shownJobs.has(job) && !isElsewhere(job, now));
  if (end.kind === "over") checkOver(end, { ...given, world, visible }, say);
  const isServed = world.boxes.some((box) => isUp(box, now) || now - box.deadAt < 30_000);
  if (end.kind === "ready" && !isServed) say("the end is true of the jobs", "nothing is ready");
  const saysNone = ["none-came", "none-asked", "none-to-come", "no-other-job"].includes(end.kind);
  if (saysNone && visible.length > 0 && world.story.hold && !given.areJobsDoubtful)
    say("the end is true of the jobs", `${end.kind}, and some came`);
}

/** Jobs that each list must show by now. */
function visibleJobs({ jobs, now, story }: World): JobInWorld[] {
  const at = now - story.jobsLagS * 1000 - 30_000;
  return jobs.filter(({ appearedAt }) => appearedAt <= at);
}

/** What nobody can know of the end of a machine's time. */
interface Doubt {
  /** GitHub's lists of runners were not what they should be at some time since then. */
  areRunnersDoubtful: (since: number) => boolean;
  lifetimeS: number;
}

interface AtEnd extends Pick<Doubt, "areRunnersDoubtful"> {
  /** Jobs that GitHub's lists have shown: a list that lacks one, and says that it is whole, hides it from all. */
  shownJobs: ReadonlySet<JobInWorld>;
  /** GitHub's lists of jobs were not what they should be, lately. */
  areJobsDoubtful: boolean;
  world: World;
  /** When the service answered with its whole list. */
  listedAts: readonly number[];
  visible: readonly JobInWorld[];
}

/** True if a list could tell what became of the job's machine. A list shows a stopped machine only until it is gone. */
function wasTold({ box }: JobInWorld, listedAts: readonly number[]): boolean {
  const { deadAt = 0, goneAt = deadAt } = box ?? {};
  return listedAts.some((at) => at >= deadAt && (at <= goneAt || goneAt <= deadAt));
}

function checkOver(end: MainEnd, given: AtEnd, say: Say): void {
  const { areJobsDoubtful, areRunnersDoubtful, listedAts, visible, world } = given;
  const doubt = { areRunnersDoubtful, lifetimeS: world.story.lifetimeS };
  for (const job of world.jobs.filter((each) => isElsewhere(each, world.now - SEEN_MS)))
    if (end.bad.includes(job.id) || end.lost.includes(job.id))
      say("the end is true of the jobs", `it fails with '${job.name}', which another session's machine runs`);
  for (const job of visible) {
    const seen = fateOf(job, world.now, doubt);
    const fate = seen === "lost" && !wasTold(job, listedAts) ? "either" : seen;
    const isNamed = end.bad.includes(job.id) || end.lost.includes(job.id);
    const isRunning = job.startedAt <= world.now && job.overAt > world.now && job.lostAt === undefined;
    if (fate === "open" && !(end.lost.includes(job.id) && !isRunning))
      say("the end is true of the jobs", `it ends as over, and '${job.name}' is not`);
    if (fate === "good" && isNamed && !areJobsDoubtful)
      say("the end is true of the jobs", `it fails with '${job.name}', which did well`);
    if (!isNamed && ["failed", "lost", "either"].includes(fate))
      say("the end is true of the jobs", `it ends well, and '${job.name}' did not`);
    if (fate === "failed" && end.lost.includes(job.id))
      say("failed is failed, lost is lost", `'${job.name}' failed by itself, and is called lost`);
    if (fate === "lost" && end.bad.includes(job.id))
      say("failed is failed, lost is lost", `'${job.name}' was lost, and is called failed: ${job.box?.host.fate}`);
  }
}

/** The last tick of the machine's guard, how far clocks differ, and two lists between which its runner came online. */
const ENDED_BY_DEADLINE_MS = 60_000;

/** From when on nobody can tell a job's own end from that of its machine's time, which its script ends a little before. */
function endsFrom({ createdAt, deadline }: Box, { areRunnersDoubtful, lifetimeS }: Doubt): number {
  const earliest = areRunnersDoubtful(createdAt) ? Math.min(deadline, createdAt + lifetimeS * 1000) : deadline;
  return earliest - ENDED_BY_DEADLINE_MS;
}

function fateOf(job: JobInWorld, now: number, doubt: Doubt): Fate {
  const { box, conclusion, isCut, lostAt, overAt, story } = job;
  if (story.asksForMore) return "failed";
  if (conclusion === undefined) return lostAt === undefined ? "open" : "either";
  if (conclusion === "success") return "good";
  const isAtDeadline = box !== undefined && overAt >= endsFrom(box, doubt);
  if (isCut || isAtDeadline || conclusion === "cancelled") return "either";
  // It came back a moment before its job's end: no look need have fallen in between.
  const wasAway = ["silent", "runner away", "cut off"].includes(box?.host.fate ?? "");
  const [, backAt] = box !== undefined && wasAway ? awayOf(box) : [];
  if (backAt !== undefined && backAt <= overAt && overAt - backAt < SEEN_MS / 2) return "either";
  // The service stopped it soon after: nobody can tell which came first before a list that lags can show it running.
  const isStoppedAfter =
    ["outbid", "stopped"].includes(box?.host.fate ?? "") && (box?.deadAt ?? 0) - overAt < LIST_LAG_MS + LISTS_APART_MS;
  if (lostAt === undefined) return isStoppedAfter ? "either" : "failed";
  const isTold = box?.host.fate === "outbid" || box?.host.fate === "stopped";
  const wasSeen = now - overAt >= SEEN_MS || overAt - lostAt >= SEEN_MS;
  return isTold || box?.host.fate === "vanishes" ? (wasSeen || isTold ? "lost" : "either") : "either";
}
