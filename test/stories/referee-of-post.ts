import type { MainEnd } from "./drive.ts";
import { type Eye, LOOK_MS } from "./eye.ts";
import type { Written } from "./outside.ts";
import { type Box, wasAway } from "./things.ts";
import { jobOn } from "./truth.ts";

const MINUTE_MS = 60_000;
/** How long post looks for a create that gave no answer. */
const POST_LOOKS_MS = 40_000;
/** A runner whose run is cancelled ends its step and stores its log within that. */
const ENDS_STEP_MS = 10_000;

/** A worker hears of a cancel so soon. */
const HEARS_WITHIN_MS = 2000;

/** What post leaves, and what becomes of the run. */
export class PostRules {
  readonly #eye: Eye;
  readonly #written: Written;

  constructor(eye: Eye, written: Written) {
    this.#eye = eye;
    this.#written = written;
  }

  /** In post: the jobs of a run that is being cancelled are let end. */
  destroys(box: Box): void {
    const { faults, phase, world } = this.#eye;
    const { cancelledAt = Number.POSITIVE_INFINITY, now, story } = world;
    const job = jobOn(box, now);
    const isLeft = phase !== "post" || now - cancelledAt >= ENDS_STEP_MS || now < cancelledAt;
    const isHidden = faults.wasMetSince(["jobs", "job-token"], now - MINUTE_MS) || story.jobsLagS + story.jobsTakeS > 0;
    // Main's last look need not have shown its runner online.
    const lookedAt = cancelledAt - LOOK_MS - story.runnersLagS * 1000;
    const isYoung = lookedAt < (job?.runner?.onlineAt ?? 0) || wasAway(box, lookedAt, cancelledAt);
    if (isLeft || isHidden || isYoung || job === undefined) return;
    this.#eye.say(
      "a cancelled job is let end",
      `instance ${box.id} is destroyed ${(now - cancelledAt) / 1000} s after the cancel, and '${job.name}' hangs`,
    );
  }

  ended(undestroyed: readonly string[], end: MainEnd | undefined): void {
    this.#checkBills(undestroyed);
    if (undestroyed.length === 0 && end?.error !== undefined) this.#checkRun();
  }

  #checkBills(undestroyed: readonly string[]): void {
    const { faults, shown, world } = this.#eye;
    const { boxes, now, story } = world;
    const { created } = this.#written.ledger;
    // What no answer told and no list could show yet, nobody can know of: the sweep ends it.
    const isHidden = (box: Box) => {
      const listedAt = box.createdAt + (box.host.listedS + story.instancesLagS) * 1000;
      const isUnlisted =
        created.get(box.n) !== box.id && !shown.has(box) && faults.wasMetSince(["list"], box.createdAt);
      if (isUnlisted) return true;
      return box.isTwin ? now < listedAt + MINUTE_MS : listedAt > this.#eye.mainEndedAt + POST_LOOKS_MS;
    };
    const left = boxes.filter((box) => box.goneAt > now && !isHidden(box));
    if (left.length > 0 && undestroyed.length === 0)
      this.#eye.say(
        "nothing bills after the end",
        `${left.map(({ id }) => id).join(", ")} bills, and post names nothing`,
      );
    // What list and get deny, and what was destroyed long ago, bills nothing.
    const isSeen = !faults.wasMetSince(["list", "get", "service"], now - 5 * MINUTE_MS);
    const gone = boxes.filter(({ goneAt, host, id }) => {
      const isNamed = undestroyed.some((text) => text.includes(`instance ${id}`));
      return isNamed && goneAt + host.ghostS * 1000 < now - MINUTE_MS;
    });
    if (isSeen && gone.length > 0)
      this.#eye.say(
        "the end blames what is so",
        `post names ${gone.map(({ id }) => id).join(", ")}, which bills nothing`,
      );
    const isExcused = faults.met.length > 0 || story.hosts.some(({ destroyS }) => destroyS > 60);
    if (undestroyed.length > 0 && !isExcused)
      this.#eye.say("nothing bills after the end", `post gave up ${undestroyed.join(", ")} without a fault`);
  }

  /** Main has failed: a job that waits for ever has its run cancelled, unless that takes something from others. */
  #checkRun(): void {
    const { faults, world } = this.#eye;
    const { cancelledAt, jobs, now, story } = world;
    const isAway = faults.wasMetSince(
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
}
