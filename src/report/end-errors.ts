import { CAUSES } from "../fleet/lifecycle/causes.ts";
import { endCause } from "../fleet/renting/failures.ts";
import type { ImageFault } from "../fleet/renting/stop.ts";
import type { Machine } from "../fleet/stage.ts";
import type { Fleet, LostJob } from "../fleet/state.ts";
import { lostJobsMark } from "../github/annotations.ts";
import type { GpuJob } from "../github/jobs.ts";
import { describeOffer } from "../offers/search.ts";
import { oneLine } from "../shared/foreign-text.ts";
import { UserError } from "../shared/user-error.ts";
import { earlyReason, type FailedEarly } from "./before-first-step.ts";

/** Says that offers matched, but each was gone when we asked for it. The market changes by itself. */
export class OffersExhaustedError extends UserError {
  override readonly name = "OffersExhaustedError";

  constructor(tried: number, billing: string) {
    const none =
      tried === 1
        ? "The one matching offer could not be rented."
        : `None of the ${tried} matching offers could be rented.`;
    super(`${none} ${billing}`, {
      kind: "no-machine",
      hint: "Run the job again in some minutes, or raise max-price.",
    });
  }
}

/** Says that as many machines as `attempts` allows were rented, and none became or stayed ready. */
export class AttemptsExhaustedError extends UserError {
  override readonly name = "AttemptsExhaustedError";

  /** `rented`: all machines of the session. `forOffers`: what would bring more offers, where they lack. */
  constructor(failures: readonly Machine[], rented: number, after: string, forOffers = "") {
    const { todo, words } = commonCauses(failures);
    const count = `${failures.length} of ${rented} machines failed: ${words}.`;
    const offers = forOffers && ` For other offers: ${forOffers.charAt(0).toLowerCase()}${forOffers.slice(1)}`;
    super([count, ...describeFailures(failures), after].join(" "), { kind: "no-machine", hint: `${todo}${offers}` });
  }
}

/** Says that a session has asked for as many machines as its numbers tell apart. */
export class CreatesUsedUpError extends UserError {
  override readonly name = "CreatesUsedUpError";

  constructor(asked: number, after: string) {
    super(`This session has asked for ${asked} machines, the most that one session may ask for. ${after}`, {
      kind: "no-machine",
      hint: "Run the waiting jobs again. If many of these machines failed, the log says why of each.",
    });
  }
}

const IMAGE_FAULT_WORDS: Readonly<Record<ImageFault, { what: string; hint: string }>> = {
  image: {
    what: "Two machines could not pull the image",
    hint: "Check the image's name and tag. A private image needs image-login, with a token that may pull it.",
  },
  platform: {
    what: "Two machines found no image for linux/amd64 in",
    hint: CAUSES.platform.todo,
  },
  login: {
    what: "The registry refused two machines the image",
    hint: CAUSES.login.todo,
  },
  "unfit-image": {
    what: "Two machines could not use the image",
    hint: CAUSES["unfit-image"].todo,
  },
};

/** Says that two hosts could not use the image. The user can name another one. */
export class ImageUnusableError extends UserError {
  override readonly name = "ImageUnusableError";

  /** `words`: what the last machine, or the service, said. */
  constructor(fault: ImageFault, image: string, words: string, billing: string) {
    const { hint, what } = IMAGE_FAULT_WORDS[fault];
    const said = words.replace(/\.$/, "");
    super(`${what} ${image}: ${said}. ${billing}`, { kind: "no-machine", hint });
  }
}

/** Says that the image's registry has none of that name and tag. The user can correct it. */
export class ImageMissingError extends UserError {
  override readonly name = "ImageMissingError";

  /** `word`: the registry's own, or `only for` and the platforms that it has the image for. */
  constructor(image: string, word: string, after: string) {
    const [, only] = /^only for (.*)$/.exec(word) ?? [];
    const todo = only === undefined ? "Check the image's name and tag." : "Build it with `--platform linux/amd64`.";
    const none =
      only === undefined
        ? `The registry has no image ${image}: asked twice, 15 s apart, it said ${word}.`
        : `The registry has no image ${image} for linux/amd64, only for ${only}: asked twice, 15 s apart.`;
    super(`${none} ${after}`, {
      kind: "no-machine",
      hint: `${todo} If a job of this run builds it, let the GPU job have \`needs:\` on that job.`,
    });
  }
}

/** Says that no machine was ready within `ready-timeout`. */
export class ReadyTimeoutError extends UserError {
  override readonly name = "ReadyTimeoutError";

  /** `hint`: what else than the market was in the way. */
  constructor(limit: string, reasons: readonly string[], billing: string, hint?: string) {
    super(`No machine was ready within ready-timeout (${limit}). ${[...reasons, billing].join(" ")}`, {
      kind: "no-machine",
      hint: hint ?? "Raise ready-timeout, or ask for a GPU that is offered more often.",
    });
  }
}

/**
 * Says that several machines gave themselves back before their runners started, and that all had a
 * probe. The user can correct it.
 */
export class ProbeFailedError extends UserError {
  override readonly name = "ProbeFailedError";

  /** `said`: the last machine's own words. */
  constructor(machines: number, said: string | undefined, billing: string) {
    const words = said === undefined ? "" : ` The last one said: ${oneLine(said)}`;
    super(
      `${machines} machines gave themselves back before their runner was online, and a probe is set: it may fail on every machine.${words} ${billing}`,
      {
        kind: "no-machine",
        hint: "Try the line of probe in the image by hand, or run once without it; the log has each machine's last lines.",
      },
    );
  }
}

/** Says that GitHub's runner program ended on two hosts with the same message. GitHub or the image is at fault. */
export class RunnerRefusedError extends UserError {
  override readonly name = "RunnerRefusedError";

  constructor(words: string, after: string) {
    super(
      `GitHub's runner ended on two machines and more before a job came, each time with the same message: “${oneLine(words)}” ${after}`,
      {
        kind: "no-machine",
        hint: "No host is to blame. Where the message is about the runner's registration, version or access, look at githubstatus.com and run the job again; where it is about a program or a library, look at the image.",
      },
    );
  }
}

/** Says that the run's jobs make this job fail. The hint names who is to do what. */
export class HoldError extends UserError {
  override readonly name = "HoldError";
}

/** A job that did not succeed. */
type FailedJob = Pick<GpuJob, "id" | "name" | "conclusion" | "url" | "runnerName"> & FailedEarly;

/** How many jobs an error names. GitHub cuts an annotation, whose end says what bills and what to do. */
const MOST_JOBS = 3;

/** Returns the first few, and the number of others. Other annotations name them all. */
function firstOf<T>(things: readonly T[]): [some: T[], others: number] {
  return [things.slice(0, MOST_JOBS), Math.max(0, things.length - MOST_JOBS)];
}

/** True if the list of instances was read after the jobs' ends, so that a lost machine would have shown. */
export function wasSeenAfter(
  jobs: readonly Pick<GpuJob, "completedAt">[],
  { instancesAt }: Pick<Fleet, "instancesAt">,
): boolean {
  return instancesAt === undefined || instancesAt >= Math.max(0, ...jobs.map(({ completedAt = 0 }) => completedAt));
}

/** Says how jobs failed, as the end of a sentence, and where to look. `isSeen`: by `wasSeenAfter`. */
export function howFailed(jobs: readonly FailedJob[], isSeen: boolean): { what: string; hint: string } {
  const early = jobs.find(earlyReason);
  const reason = early && earlyReason(early);
  const whose = early === undefined || jobs.length === 1 ? "" : `of '${oneLine(early.name, 100)}': `;
  if (reason !== undefined) return { ...reason, what: `${whose}${reason.what}` };
  const hint = "Look at the GPU job.";
  // A job that was cancelled in time never had a machine.
  if (jobs.every(({ runnerName }) => runnerName === undefined))
    return { what: `no machine had run ${jobs.length === 1 ? "it" : "them"}`, hint };
  return { what: isSeen ? "the machine was fine" : "Vast.ai did not say whether the machine was fine", hint };
}

/** Says that GPU jobs failed by themselves. This job fails with them, so that "Re-run failed jobs" rents again. */
export class GpuJobFailedError extends UserError {
  override readonly name = "GpuJobFailedError";

  /** `isSeen`: by `wasSeenAfter`. */
  constructor(jobs: readonly FailedJob[], billing: string, isSeen = true) {
    const [some, others] = firstOf(jobs);
    const shown = some.map(
      ({ name, conclusion, url }) => `'${oneLine(name, 100)}' (${conclusion ?? "unknown"}${url ? `: ${url}` : ""})`,
    );
    const names = `${shown.join(", ")}${others > 0 ? ` and ${others} more` : ""}`;
    const { hint, what } = howFailed(jobs, isSeen);
    super(`${names} did not succeed; ${what}. ${billing}`, {
      kind: "job-failed",
      jobIds: some.map(({ id }) => id),
      hint: `${hint} This job is red only so that "Re-run failed jobs" rents again.`,
    });
  }
}

const WITHOUT_CREDIT = "Look at the account's credit first: without any the service stops all machines. ";

/** Says that machines were lost while jobs ran on them. The hosts are at fault. */
export class MachineLostError extends UserError {
  override readonly name = "MachineLostError";

  constructor(lost: readonly LostJob[], billing: string) {
    const [some, others] = firstOf(lost);
    const shown = some.map(
      ({ instanceId, name, url, went }) =>
        `Instance ${instanceId ?? "?"} ${went} under '${oneLine(name, 100)}'${url ? ` (${url})` : ""}`,
    );
    const rest = others > 0 ? [`${others} more ${others === 1 ? "was" : "were"} lost under other jobs`] : [];
    const jobIds = some.map(({ id }) => id);
    super(`${[...shown, ...rest].join(". ")}: not your tests. ${billing}`, {
      kind: "lost",
      jobIds,
      mark: lostJobsMark(jobIds),
      hint: `${lost.some(({ went }) => went === "was stopped by the service") ? WITHOUT_CREDIT : ""}Use "Re-run failed jobs": another machine is rented. The job may show as running until GitHub misses its runner.`,
    });
  }
}

/** Returns the causes in words, such as `3 too slow to boot, 1 broken host`, and what to do about the commonest. */
export function commonCauses(failures: readonly Machine[]): { words: string; todo: string } {
  const byCause = Map.groupBy(failures, (machine) => endCause(machine) ?? "lost");
  const causes = [...byCause].toSorted(([, left], [, right]) => right.length - left.length);
  const words = causes.map(([cause, { length }]) => `${length} ${CAUSES[cause][length === 1 ? "one" : "many"]}`);
  return { words: words.join(", "), todo: CAUSES[causes[0]?.[0] ?? "lost"].todo };
}

const MOST_NAMED = 4;

/** Says of each failed machine, up to four, why it failed. */
export function describeFailures(failures: readonly Machine[]): string[] {
  const named = failures.slice(0, MOST_NAMED).map(failureLine);
  return failures.length > MOST_NAMED ? [...named, "The log has the others."] : named;
}

function failureLine({ candidate, connectError, ending }: Machine, index: number): string {
  const said = ending?.cause === "online" && connectError ? ` Its runner said: “${connectError}”` : "";
  return `Attempt ${index + 1}, ${describeOffer(candidate.offer)}: ${oneLine(ending?.why ?? "")}.${said}`;
}
