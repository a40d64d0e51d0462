import { wasAway } from "../things.ts";
import type { World } from "../world.ts";
import { type Eye, LOOK_MS, MINUTE_MS } from "./eye.ts";
import type { Ended, Job, Machine } from "./record.ts";
import { jobOn } from "./truth.ts";

/** How long post looks for a create that gave no answer. */
const POST_LOOKS_MS = 40_000;
/** A runner whose run is cancelled ends its step and stores its log within that. */
const ENDS_STEP_MS = 10_000;
/** A worker hears of a cancel so soon. */
const HEARS_WITHIN_MS = 2000;

/** What post and sweep leave, and what becomes of the run. */
export class PostRules {
  readonly #eye: Eye;
  /** Machines that post asked to end under a job. */
  readonly #taken = new Map<Machine, Job>();

  constructor(eye: Eye) {
    this.#eye = eye;
  }

  destroys(box: Machine): void {
    if (this.#eye.phase !== "post") return;
    const { driven, record } = this.#eye;
    const job = jobOn(record, box, driven.blurMs);
    if (job === undefined) return;
    this.#taken.set(box, job);
    if (driven.world !== undefined && !this.#isLetEnd(box, job, driven.world))
      this.#eye.say("a cancelled job is let end", `instance ${box.id} is destroyed, and '${job.name}' hangs`);
  }

  /** The jobs of a run that is being cancelled are let end, as far as main and post could see them run. */
  #isLetEnd({ createdAt, host }: Machine, { runner }: Job, world: World): boolean {
    const { cancelledAt = Number.POSITIVE_INFINITY, now, story } = world;
    const isHidden = this.#eye.faults.wasMetSince(["jobs", "job-token"], now - MINUTE_MS);
    const isSlow = story.jobsLagS + story.jobsTakeS > 0;
    // Main's last look need not have shown its runner online.
    const lookedAt = cancelledAt - LOOK_MS - story.runnersLagS * 1000;
    const wasUnseen = host !== undefined && wasAway({ createdAt, host }, lookedAt, cancelledAt);
    const isYoung = lookedAt < (runner?.onlineAt ?? 0) || wasUnseen;
    return now - cancelledAt >= ENDS_STEP_MS || now < cancelledAt || isHidden || isSlow || isYoung;
  }

  /** Nobody comes any more but a sweep. `main`: how it had ended. */
  ended({ isGreen, undestroyed }: Ended, main: Ended | undefined): void {
    const { driven, faults, phaseSince } = this.#eye;
    this.#checkLeft(undestroyed);
    this.#checkNamed(undestroyed);
    if (undestroyed.length > 0 && !driven.mayGiveUp())
      this.#eye.say(
        "nothing bills after the end",
        `post gave up ${undestroyed.join(", ")} though it had the time`,
        true,
      );
    if (isGreen && main?.isGreen && !faults.wasMetSince(["jobs", "job-token"], phaseSince))
      // It may have come to its own end while its machine was being destroyed.
      for (const [{ goneAt, id }, { name, overAt }] of this.#taken)
        if (overAt > goneAt)
          this.#eye.say("who takes a machine from a job says so", `post is green, and destroyed ${id} under '${name}'`);
    if (undestroyed.length === 0 && main?.verdict?.error !== undefined && driven.world !== undefined)
      this.#checkRun(driven.world);
  }

  /** What post leaves is named. */
  #checkLeft(undestroyed: readonly string[]): void {
    const left = this.#alive().filter((box) => !this.#isHidden(box));
    const unnamed = left.filter((box) => !undestroyed.some((text) => isNamed(box, text)));
    const ids = unnamed.map(({ id }) => id).join(", ");
    if (unnamed.length > 0 && undestroyed.length === 0)
      this.#eye.say("nothing bills after the end", `${ids} bills, and post names nothing`);
    else if (unnamed.length > 0)
      this.#eye.say("who leaves a machine names it", `post does not name ${ids}: ${undestroyed.join(", ")}`);
  }

  #alive(): Machine[] {
    const { boxes, now } = this.#eye.record;
    return boxes.filter(({ createdAt, goneAt }) => createdAt <= now && goneAt > now);
  }

  /** What no answer told and no list could show yet, nobody can know of: the sweep ends it. */
  #isHidden(box: Machine): boolean {
    const { driven, faults, mainEndedAt, record } = this.#eye;
    const { createdAt, isTwin, shownAt, visibleAt } = box;
    const isUnlisted = !driven.isKnown(box) && shownAt > record.now && faults.wasMetSince(["list"], createdAt);
    if (isUnlisted) return true;
    return isTwin ? record.now < visibleAt + MINUTE_MS : visibleAt > mainEndedAt + POST_LOOKS_MS;
  }

  /** What list and get deny, and what was destroyed long ago, bills nothing. */
  #checkNamed(undestroyed: readonly string[]): void {
    const { faults, record } = this.#eye;
    const isSeen = !faults.wasMetSince(["list", "get", "service"], record.now - 5 * MINUTE_MS);
    const gone = record.boxes.filter(({ goneAt, host, id }) => {
      const isMeant = undestroyed.some((text) => text.includes(`instance ${id}`));
      return isMeant && goneAt + (host?.ghostS ?? 0) * 1000 < record.now - MINUTE_MS;
    });
    const ids = gone.map(({ id }) => id).join(", ");
    if (isSeen && gone.length > 0) this.#eye.say("the end blames what is so", `post names ${ids}, which bills nothing`);
  }

  /** Main has failed: a job that waits for ever has its run cancelled, unless that takes something from others. */
  #checkRun({ cancelledAt, jobs, now, story }: World): void {
    const isAway = this.#eye.faults.wasMetSince(
      ["jobs", "job-token", "cancel", "service", "list", "get", "destroy"],
      now - 10 * MINUTE_MS,
    );
    const waits = jobs.filter((job) => job.queuedAt <= now - MINUTE_MS && job.startedAt > now && job.overAt > now);
    const isOpen = jobs.some(({ conclusion, startedAt }) => startedAt <= now && conclusion === undefined);
    const isHeld = jobs.some(({ appearedAt, queuedAt }) => appearedAt <= now && queuedAt > now);
    const mayCancel = !isAway && !isOpen && !isHeld && story.othersUntilS * 1000 <= now - 2 * MINUTE_MS;
    if (waits.length > 0 && mayCancel && cancelledAt === undefined)
      this.#eye.say("a job that can have no machine does not wait", `'${waits[0]?.name}' waits for a day`);
    // Who cancels the run cancels the job that rents with it.
    const isPosts = cancelledAt !== undefined && story.death?.kind !== "run cancelled";
    if (isPosts && story.isCancelQuick && now - cancelledAt > HEARS_WITHIN_MS)
      this.#eye.say(
        "a job has its own result",
        `the job that rents is cancelled by its own post, which goes on for ${(now - cancelledAt) / 1000} s after that`,
      );
  }

  /** A sweep has ended; before the last one it knew that the run is over, or that every label has expired. */
  swept({ isGreen, isLast = false, process }: Ended): void {
    const { faults, phaseSince } = this.#eye;
    const left = this.#alive();
    const ids = left.map(({ id }) => id).join(", ");
    const wasDown = faults.wasMetSince(["service", "list", "get", "destroy"], phaseSince);
    // A sweep that had no answer in time, and names what it leaves, has done what it could.
    const isUncertain = ({ id }: Machine) => lineOf(process?.log, id)?.includes("could not be asked") ?? false;
    if (isLast && left.length > 0 && !wasDown)
      this.#eye.say("nothing bills after a sweep", `${ids} does`, left.every(isUncertain));
    if (!isGreen || process === undefined) return;
    const unnamed = left.filter(
      ({ id, visibleAt }) => visibleAt <= this.#listsSince() && !process.log.includes(String(id)),
    );
    for (const { id } of unnamed)
      this.#eye.say("who leaves a machine names it", `a green sweep does not name instance ${id}, which is left`);
  }

  /** What every list of this process had, however old that list was, if it was whole. */
  #listsSince(): number {
    const met = this.#eye.faults.met.filter(({ at, fault }) => at >= this.#eye.phaseSince && fault.where === "list");
    if (met.some(({ fault }) => fault.what === "empty" || fault.what === "partial")) return Number.NEGATIVE_INFINITY;
    const ages = met.map(({ fault }) => (fault.what === "old" ? fault.detail * 1000 : 0));
    return this.#eye.phaseSince - Math.max(0, ...ages);
  }
}

/** By its id, or by the beginning of all labels where post could not see what there is. */
function isNamed({ id, label }: Machine, text: string): boolean {
  const prefix = /whatever is labelled (\S+)\.…/i.exec(text)?.[1];
  return text.includes(String(id)) || (prefix !== undefined && label.startsWith(`${prefix}.`));
}

function lineOf(log = "", id: number): string | undefined {
  return log.split("\n").find((line) => line.startsWith(`Instance ${id} is left: `));
}
