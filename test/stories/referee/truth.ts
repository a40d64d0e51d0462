import type { Box, JobInWorld } from "../things.ts";
import { isUp } from "../things.ts";
import type { World } from "../world.ts";
import type { Happened, Job, Machine } from "./record.ts";

const HOUR_MS = 3_600_000;

/** It is up, without a job, and one could come to it by what anybody knows. */
export function isHopeful(box: Box, now: number): boolean {
  const isOpen = (job: JobInWorld | undefined) => job !== undefined && job.overAt > now;
  const isFree = box.runners.some(({ goneAt, job }) => goneAt > now && job === undefined);
  return isUp(box, now) && !isOpen(box.current?.job) && isFree;
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

/** USD: spent by now, and what those alive may cost until their deadlines, of what lists had shown by then. */
export function committed({ boxes, now }: World, seenBy: number): number {
  const isKnown = ({ isLate, isTwin, shownAt }: Box) => shownAt <= seenBy || !(isLate || isTwin);
  const cost = ({ createdAt, deadline, goneAt, price, runningAt }: Box) => {
    // While it boots it bills no GPU; that it boots on must be set aside all the same.
    const [from, to] = goneAt <= now ? [runningAt, goneAt] : [createdAt, Math.max(now, deadline)];
    return (price * Math.max(0, to - from)) / HOUR_MS;
  };
  return boxes.filter(isKnown).reduce((sum, box) => sum + cost(box), 0);
}
