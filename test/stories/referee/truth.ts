import { isIn } from "../fault.ts";
import { BOOT_S, type HostStory, MAX_PRICE, ONLINE_S } from "../story.ts";
import { type Box, isHeld, isUp, type JobInWorld } from "../things.ts";
import type { World } from "../world.ts";
import type { Happened, Job, Machine } from "./record.ts";

/** A bill's least length: boot, image, runner, work and its end. */
const LEAST_MS = (BOOT_S + ONLINE_S + 300 + 60 + 80) * 1000;
/** The code may set aside more for what is alive than it will come to. */
const ROUNDLY = 1.3;
const HOUR_MS = 3_600_000;

/** A host's own failing: nothing that we or another machine of ours did to it. */
export function hasFailed({ host, createdAt, deadAt, endedBy, isRefused }: Box, now: number): boolean {
  if (isRefused) return true;
  if (host.fate === "works") return host.bootS > BOOT_S || host.onlineS > ONLINE_S;
  const isLater = ["vanishes", "exits", "outbid", "stopped"].includes(host.fate);
  if (isLater) return deadAt <= now && endedBy === "its host";
  const isAway = ["silent", "runner away", "cut off"].includes(host.fate);
  return !isAway || now >= createdAt + host.fateS * 1000;
}

/** GitHub gives it no job while it waits for one: by its host, or for what nobody can tell from that. */
export function isPassedOver(world: World, { deadAt, host, runners }: Box): boolean {
  const { jobs, now, story } = world;
  const onlineAt = Math.min(...runners.map(({ onlineAt: at }) => at));
  const untilAt = Math.min(deadAt, now);
  const wasPaused = world.pauses().some(({ from, to }) => to > onlineAt && from < untilAt);
  // Jobs on machines of other sessions take places of max-parallel.
  const isBeside = ({ box, overAt, startedAt }: JobInWorld) =>
    box === undefined && startedAt < untilAt && overAt > onlineAt;
  return host.isDeaf || host.stuckS > 0 || wasPaused || jobs.filter(isBeside).length >= story.maxParallel;
}

/** It is up, without a job, and one could come to it by what anybody knows. */
export function isHopeful(box: Box, now: number): boolean {
  const job = box.current?.job;
  const hasJob = job !== undefined && job.overAt > now;
  return isUp(box, now) && !hasJob && box.runners.some(({ goneAt, job: its }) => goneAt > now && its === undefined);
}

/** A listener runs on it or will: one that is kept for a look, or whose time is nearly over, begins no further one. */
export function mayListen({ current, listenAt, runningAt }: Box): boolean {
  return current !== undefined || Number.isFinite(listenAt) || !Number.isFinite(runningAt);
}

/** The job that surely runs on it, and whose end its end would be. */
export function jobOn({ jobs, now }: Happened, machine: Machine, blurMs = 0): Job | undefined {
  const isOn = ({ box, lostAt = Number.POSITIVE_INFINITY, overAt, startedAt }: Job) =>
    box === machine && startedAt + blurMs <= now && overAt - blurMs > now && lostAt > now;
  return isUp(machine, now) ? jobs.find(isOn) : undefined;
}

/** Other machines of the same create, which have the same runners. */
export function twinsOf<Each extends Machine>({ boxes }: { boxes: readonly Each[] }, machine: Machine): Each[] {
  return boxes.filter((each) => each !== machine && each.n === machine.n);
}

/** Since a job last began on a machine of ours, or at most so many milliseconds before it. */
export function failuresOf(world: World, slackMs = 0): Box[] {
  const { boxes, jobs, now } = world;
  const ours = jobs.filter(({ box }) => box !== undefined);
  const began = Math.max(-1, ...ours.map(({ startedAt }) => startedAt).filter((at) => at <= now));
  const isLater = ({ createdAt, deadAt }: Box) => Math.max(createdAt, Math.min(deadAt, now)) >= began - slackMs;
  const hadJob = (box: Box) => jobs.some((job) => job.box === box);
  // One whose runner we took away goes, too.
  const isTaken = ({ goneAt, runners }: Box) => runners.some((each) => each.isRemoved && each.goneAt <= goneAt);
  const wasIdle = (box: Box) => box.endedBy === "itself" && !hadJob(box) && !isTaken(box);
  const wasStuck = (box: Box) => box.host.stuckS > 0 && !hadJob(box);
  return boxes.filter((box) => isLater(box) && (hasFailed(box, now) || wasIdle(box) || wasStuck(box)));
}

/** USD: spent by now, and what those alive may cost until their deadlines, of what lists had shown by then. */
export function committed({ boxes, now }: World, seenBy = now): number {
  const isKnown = ({ isLate, isTwin, shownAt }: Box) => shownAt <= seenBy || !(isLate || isTwin);
  const cost = ({ createdAt, deadline, goneAt, price, runningAt }: Box) => {
    // While it boots it bills no GPU; that it boots on must be set aside all the same.
    const [from, to] = goneAt <= now ? [runningAt, goneAt] : [createdAt, Math.max(now, deadline)];
    return (price * Math.max(0, to - from)) / HOUR_MS;
  };
  return boxes.filter(isKnown).reduce((sum, box) => sum + cost(box), 0);
}

/** USD that the shortest sensible use costs, roundly. */
export function leastCost(hourly: number): number {
  return (ROUNDLY * hourly * LEAST_MS) / HOUR_MS;
}

/** GitHub gives no job to it now, whatever its runners look like. */
export function servesNobody({ current, host }: Box, now: number): boolean {
  const isHeldUp = current !== undefined && current.job === undefined && isHeld(current, now);
  return host.isDeaf || isHeldUp;
}

/** Offers of hosts that would serve, at a price that the inputs allow. `left`: of max-cost, in USD. */
export function goodOffers(world: World, offers: readonly { id: number; price: number }[], left: number): number[] {
  const { bid, bidFallback } = world.story;
  const isGood = ({ bootS, fate, isDeaf, onlineS, stuckS }: HostStory) =>
    fate === "works" && !isDeaf && stuckS === 0 && bootS <= BOOT_S && onlineS <= ONLINE_S;
  return offers
    .filter(({ id, price }) => {
      // With a fallback it may be on demand by now, or not yet.
      const hourly = bidFallback ? Math.max(bid ?? price, price) : (bid ?? price);
      const isPayable = leastCost(hourly) <= left;
      return isPayable && hourly <= MAX_PRICE && price / 2 <= hourly && isGood(world.hostOf(id));
    })
    .map(({ id }) => id);
}

/** What main writes down for post can't be written. */
export function isUnwritable({ story: { unwritable } }: World, at: number): boolean {
  return unwritable !== undefined && isIn(unwritable, at);
}
