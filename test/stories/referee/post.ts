import type { World } from "../world.ts";
import { idsOf, LOOK_MS, MINUTE_MS, NEVER, Rules } from "./eye.ts";
import type { Ended, Job, Machine } from "./record.ts";
import { jobOn } from "./truth.ts";

/** How long post looks for a create that gave no answer. */
const POST_LOOKS_MS = 40_000;
/** A runner whose run is cancelled ends its step and stores its log within that. */
const ENDS_STEP_MS = 10_000;
const DESTROYING = ["service", "list", "get", "destroy"] as const;

/** What post and sweep leave, and what becomes of the run. */
export class PostRules extends Rules {
  /** Machines that post asked to end under a job. */
  readonly #taken = new Map<Machine, Job>();

  destroys(box: Machine): void {
    const { driven, phase, record } = this.eye;
    const job = phase === "post" ? jobOn(record, box, driven.blurMs) : undefined;
    if (job === undefined) return;
    this.#taken.set(box, job);
    if (this.world !== undefined && this.#mustBeLetEnd(box, job, this.world))
      this.eye.say("a cancelled job is let end", `${idsOf([box])} is destroyed, and '${job.name}' hangs`);
  }

  /** The run is being cancelled, and main's last look showed the job's runner online. */
  #mustBeLetEnd({ host }: Machine, { runner }: Job, { cancelledAt = NEVER, now }: World): boolean {
    const isEnding = now >= cancelledAt && now - cancelledAt < ENDS_STEP_MS;
    const wasSeen = (runner?.onlineAt ?? NEVER) <= cancelledAt - LOOK_MS && (host?.blipForS ?? 0) === 0;
    return isEnding && wasSeen && host?.fate === "works" && this.eye.isClear;
  }

  /** Nobody comes any more but a sweep. `main`: how it had ended. */
  ended({ isGreen, undestroyed }: Ended, main: Ended | undefined): void {
    const { driven, faults, now, phaseSince } = this.eye;
    const { jobsLagS, jobsTakeS } = this.eye.record.story;
    /** When what post's last list could show was so. */
    const listedAt = now - (jobsLagS + jobsTakeS) * 1000;
    const names = undestroyed.join(", ");
    const left = this.#alive().filter((box) => !this.#isHidden(box));
    const unnamed = left.filter((box) => !undestroyed.some((text) => isNamed(box, text)));
    if (unnamed.length > 0 && undestroyed.length === 0)
      this.eye.say("nothing bills after the end", `${idsOf(unnamed)} bills, and post names nothing`);
    else if (unnamed.length > 0)
      this.eye.say("who leaves a machine names it", `post does not name ${idsOf(unnamed)}: ${names}`);
    this.#checkNamed(undestroyed);
    if (undestroyed.length > 0 && !driven.mayGiveUp())
      this.eye.say("nothing bills after the end", `post gave up ${names} though it had the time`, true);
    if (isGreen && main?.isGreen && !faults.wasMetSince(["jobs", "job-token"], phaseSince))
      // It may have come to its own end while its machine was being destroyed, or be in no list yet, or held there.
      for (const [{ goneAt, id }, { appearedAt, name, overAt, queuedAt = appearedAt }] of this.#taken)
        if (overAt > goneAt && queuedAt <= listedAt)
          this.eye.say("who takes a machine from a job says so", `post is green, and destroyed ${id} under '${name}'`);
    const hasFailed = main?.verdict?.error !== undefined;
    if (undestroyed.length === 0 && hasFailed && this.world !== undefined) this.#checkRun(this.world);
  }

  #alive(): Machine[] {
    const { boxes, now } = this.eye.record;
    return boxes.filter(({ createdAt, goneAt }) => createdAt <= now && goneAt > now);
  }

  /** What no answer told and no list could show yet, nobody can know of: the sweep ends it. */
  #isHidden(box: Machine): boolean {
    const { driven, faults, mainEndedAt, now } = this.eye;
    const { createdAt, isTwin, shownAt, visibleAt } = box;
    if (!driven.isKnown(box) && shownAt > now && faults.wasMetSince(["list"], createdAt)) return true;
    return isTwin ? now < visibleAt + MINUTE_MS : visibleAt > mainEndedAt + POST_LOOKS_MS;
  }

  /** What list and get deny, and what was destroyed long ago, bills nothing. */
  #checkNamed(undestroyed: readonly string[]): void {
    const { boxes, now } = this.eye.record;
    if (this.eye.met(["list", "get", "service"], 5 * MINUTE_MS)) return;
    const gone = boxes.filter(({ goneAt, host, id }) => {
      const isMeant = undestroyed.some((text) => text.includes(`instance ${id}`));
      return isMeant && goneAt + (host?.ghostS ?? 0) * 1000 < now - MINUTE_MS;
    });
    if (gone.length > 0)
      this.eye.say("who leaves a machine names it", `post names ${idsOf(gone)}, which bills nothing`);
  }

  /** Main has failed: a job that waits for ever has its run cancelled, unless that takes something from others. */
  #checkRun({ cancelledAt, jobs, now, story }: World): void {
    const waits = jobs.filter((job) => job.queuedAt <= now - MINUTE_MS && job.startedAt > now && job.overAt > now);
    const isOpen = jobs.some((job) => job.startedAt <= now && job.overAt > now);
    const isHeld = jobs.some(({ appearedAt, queuedAt }) => appearedAt <= now && queuedAt > now);
    const mayCancel = this.eye.isClear && !isOpen && !isHeld && story.othersUntilS * 1000 <= now - 2 * MINUTE_MS;
    if (waits.length > 0 && mayCancel && cancelledAt === undefined)
      this.eye.say("a job that can have no machine does not wait", `'${waits[0]?.name}' waits for a day`);
  }

  /** A sweep has ended; before the last one it knew that the run is over, or that every label has expired. */
  swept({ isGreen, isLast = false, process }: Ended): void {
    const left = this.#alive();
    const wasDown = this.eye.faults.wasMetSince(DESTROYING, this.eye.phaseSince);
    const lines = process?.log.split("\n") ?? [];
    // A sweep that had no answer in time, and names what it leaves, has done what it could.
    const isUncertain = ({ id }: Machine) =>
      lines.find((line) => line.startsWith(`Instance ${id} is left: `))?.includes("could not be asked") ?? false;
    if (isLast && left.length > 0 && !wasDown)
      this.eye.say("nothing bills after a sweep", `${idsOf(left)} does`, left.every(isUncertain));
    if (!isGreen || process === undefined || this.eye.faults.wasMetSince(["list"], this.eye.phaseSince)) return;
    const shown = left.filter(({ visibleAt }) => visibleAt <= this.eye.phaseSince);
    const unnamed = shown.filter(({ id }) => !process.log.includes(String(id)));
    if (unnamed.length > 0)
      this.eye.say("who leaves a machine names it", `a green sweep leaves ${idsOf(unnamed)}, and does not say so`);
  }
}

/** By its id, or by the beginning of all labels where post could not see what there is. */
function isNamed({ id, label }: Machine, text: string): boolean {
  const prefix = /whatever is labelled (\S+)\.…/i.exec(text)?.[1];
  return text.includes(String(id)) || (prefix !== undefined && label.startsWith(`${prefix}.`));
}
