import { jobNames } from "../../github/jobs.ts";
import { createError } from "../../machine/errors.ts";
import type { Refusal } from "../../marketplace/marketplace.ts";
import type { OfferBudget } from "../../money/budget.ts";
import { BudgetError, MonthlyCostError } from "../../money/errors.ts";
import { NoOfferError } from "../../offers/errors.ts";
import { formatDuration } from "../../shared/duration.ts";
import { oneLine } from "../../shared/foreign-text.ts";
import { firstMatch } from "../../shared/rows.ts";
import { type Fault, faultError, UserError } from "../../shared/user-error.ts";
import { CAUSES } from "../lifecycle/causes.ts";
import { LATE } from "../lifecycle/late.ts";
import type { FleetOptions, FleetRequest } from "../options.ts";
import { billingOf } from "../recording/records.ts";
import { machineFacts } from "../stage.ts";
import type { Fleet } from "../state.ts";
import { adviceByWords } from "./alike.ts";
import { commonCauses, describeFailures, failuresOf, offersGone } from "./failures.ts";
import { isTooDear } from "./offer.ts";
import { lastRefusal, standing } from "./standing.ts";

/** What is known at the end. Plain data. */
export interface Told {
  fleet: Fleet;
  options: FleetOptions;
  request: FleetRequest;
  now: number;
  /** The jobs that did not run. */
  jobs: readonly { name: string }[];
  /** What becomes of these jobs, what was spent, and what may still bill. */
  after: string;
}

/** Says why no machine could be had. Its name is the heading of docs/troubleshooting.md. */
class NoMachineError extends UserError {
  override readonly name: string;

  constructor(name: string, { after }: Pick<Told, "after">, what: string, hint: string) {
    super(`${what} ${after}`, { kind: "no-machine", hint });
    this.name = name;
  }
}

export function refusedError({ after, request }: Told, refusal: Refusal): UserError {
  return createError(refusal, request.instance.templateHashId, after);
}

/** Makes the error that the service's or GitHub's own words were. */
export function saidError({ after, fleet }: Told, fault: Fault): UserError {
  // Another session's machines serve the jobs then: nobody ends them here.
  return faultError(fault).and(fault.kind === "label-in-use" ? billingOf(fleet) : after);
}

/** `word`: the registry's own, or `only for` and the platforms that it has the image for. */
export function noImageError(told: Told, word: string): UserError {
  const { name } = told.request.image;
  const [, only] = /^only for (.*)$/.exec(word) ?? [];
  const todo = only === undefined ? "Check the image's name and tag." : "Build it with `--platform linux/amd64`.";
  const none =
    only === undefined
      ? `The registry has no image ${name}: asked twice, 15 s apart, it said ${word}.`
      : `The registry has no image ${name} for linux/amd64, only for ${only}: asked twice, 15 s apart.`;
  const needs = "If a job of this run builds it, let the GPU job have `needs:` on that job.";
  return new NoMachineError("ImageMissingError", told, none, `${todo} ${needs}`);
}

export function runnersRefusedError(told: Told, words: string): UserError {
  const what = `GitHub's runner ended on two machines and more before a job came, each time with the same message: “${oneLine(words)}”`;
  const hint =
    "No host is to blame. Where the message is about the runner's registration, version or access, look at githubstatus.com and run the job again; where it is about a program or a library, look at the image.";
  return new NoMachineError("RunnerRefusedError", told, what, hint);
}

/** The runner group is named only where no job of ours ever ran. */
export function passedOverError(told: Told): UserError {
  const { fleet, jobs } = told;
  const holder = fleet.machines.find((machine) => machineFacts(machine).mayHoldJob);
  // A job whose worker hung as it began is still shown as queued, and no other runner gets it.
  const bound = holder
    ? ` GitHub gave machine ${holder.machineNo} a job that never began: it may still be bound to that runner (actions/runner#4598).`
    : "";
  const what = `${jobNames(jobs) || "A GPU job"} waited although a machine was ready: GitHub did not give it our runner.${bound}`;
  const group =
    fleet.lastBeginAt >= fleet.startedAt
      ? ""
      : " Check which repositories the runner group may serve (public ones are off by default), and the labels in runs-on.";
  const hint = holder
    ? "Cancel the run, and run it again: a new run has new jobs."
    : `Look at githubstatus.com.${group}`;
  return new NoMachineError("PassedOverError", told, what, hint);
}

const PULLS = "Check the image's name and tag. A private image needs image-login, with a token that may pull it.";

/** Faults of the image, as machines report them, and what to do. No other host would do better. */
const IMAGE_FAULTS = {
  image: ["Two machines could not pull the image", PULLS],
  login: ["The registry refused two machines the image", CAUSES.login.todo],
  platform: ["Two machines found no image for linux/amd64 in", CAUSES.platform.todo],
  "unfit-image": ["Two machines could not use the image", CAUSES["unfit-image"].todo],
} as const;
export type ImageFault = keyof typeof IMAGE_FAULTS;

/** `said`: by the last machine, or by the service. */
export function imageError(told: Told, fault: ImageFault, said: string): UserError {
  const [what, hint] = IMAGE_FAULTS[fault];
  const { image, templateHashId } = told.request.instance;
  // A template's own image is known only to the service.
  const name = image ?? `of template ${templateHashId}`;
  return new NoMachineError("ImageUnusableError", told, `${what} ${name}: ${said.replace(/\.$/, "")}.`, hint);
}

/** `machines`: how many seem to have failed by the probe. `said`: by the last of them. */
export function probeError(told: Told, { machines, said }: { machines: number; said: string | undefined }): UserError {
  const words = said === undefined ? "" : ` The last one said: ${oneLine(said)}`;
  const what = `${machines} machines gave themselves back before their runner was online, and a probe is set: it may fail on every machine.${words}`;
  const hint =
    "Try the line of probe in the image by hand, or run once without it; the log has each machine's last lines.";
  return new NoMachineError("ProbeFailedError", told, what, hint);
}

/** `forOffers`: what would bring other offers, where they lack. */
export function attemptsError(told: Told, forOffers = ""): UserError {
  const failures = failuresOf(told.fleet);
  const { todo, words } = commonCauses(failures);
  const made = told.fleet.machines.filter((machine) => machineFacts(machine).isMade);
  const count = `${failures.length} of ${made.length} machines failed: ${words}.`;
  const what = [count, ...describeFailures(failures)].join(" ");
  return new NoMachineError("AttemptsExhaustedError", told, what, `${todo}${adviceByWords(told.fleet)}${forOffers}`);
}

export function createsError(told: Told): UserError {
  const what = `This session has asked for ${told.fleet.machines.length} machines, the most that one session may ask for.`;
  const hint = "Run the waiting jobs again. If many of these machines failed, the log says why of each.";
  return new NoMachineError("CreatesUsedUpError", told, what, hint);
}

export function hopelessError(told: Told): UserError {
  const searched = "Two searches without the other filters, rented machines included, found nothing better.";
  return nothingError(told, `${searched} Waiting can't help.`);
}

export function maxCostError(told: Told, left: OfferBudget): UserError {
  return monthError(told) ?? new BudgetError(left, describeFailures(failuresOf(told.fleet)), told.after);
}

function monthError({ after, fleet, request }: Told): UserError | undefined {
  const { month } = request.money;
  return month && new MonthlyCostError(month, after, describeFailures(failuresOf(fleet)));
}

export function noOfferError(told: Told): UserError {
  return nothingError(told, `Searched for all of search-timeout (${formatDuration(told.options.searchTimeout)}).`);
}

/** Makes the error for want of an offer, by the best answer: what failed, was refused or was gone, else what lacks. */
function nothingError(told: Told, searched: string): UserError {
  const { after, fleet } = told;
  const better = firstMatch([tooDearError, noOtherError, lastRefusalError], told);
  if (better !== undefined) return better;
  const nothing = fleet.market?.nothing;
  const gone = offersGone(fleet);
  if (nothing === undefined || (gone > 0 && !isTooDear(fleet))) return offersGoneError(told, gone);
  if (nothing.kind === "fault") return saidError(told, nothing.fault);
  return new NoOfferError(nothing.requirements, nothing.explanation, `${searched} ${after}`);
}

function tooDearError(told: Told): UserError | undefined {
  return isTooDear(told.fleet) ? monthError(told) : undefined;
}

/** "No offer matches" need not be all that is true: what was tried is the better answer. */
function noOtherError(told: Told): UserError | undefined {
  const { after, fleet } = told;
  if (failuresOf(fleet).length === 0) return undefined;
  const nothing = fleet.market?.nothing;
  const hint = nothing?.kind === "none-fits" ? nothing.explanation.hint : nothing?.fault.hint;
  const forOffers = hint && ` For other offers: ${hint.charAt(0).toLowerCase()}${hint.slice(1)}`;
  return attemptsError({ ...told, after: `No other offer fits. ${after}` }, forOffers);
}

/** Makes the error of the last create that was refused, unless the service only asks for fewer of them. */
function lastRefusalError(told: Told): UserError | undefined {
  const last = lastRefusal(told.fleet);
  if (last?.kind === "unregistered") return saidError(told, last.fault);
  return last?.kind === "refused" && last.refusal.code !== "too-fast" ? refusedError(told, last.refusal) : undefined;
}

/** Offers matched, but each was gone when we asked for it. The market changes by itself. */
function offersGoneError(told: Told, tried: number): UserError {
  const several = `None of the ${tried} matching offers could be rented.`;
  const none = tried === 1 ? "The one matching offer could not be rented." : several;
  const hint = "Run the job again in some minutes, or raise max-price.";
  return new NoMachineError("OffersExhaustedError", told, none, hint);
}

/** Names what else than the market was in the way. If nothing was rented, that is the error. */
export function readyTimeoutError(told: Told): UserError {
  const own = firstMatch([fullRepositoryError, unlistedError, nothingRentedError], told);
  return own ?? lateError(told, { last: pausedBy(told.fleet) });
}

const MORE_TIME = "Raise ready-timeout, or ask for a GPU that is offered more often.";

/** `first`, `last`: what is said before the failures, and after them. */
function lateError(told: Told, { first = "", hint = MORE_TIME, last = "" }): UserError {
  const late = `No machine was ready within ready-timeout (${formatDuration(told.options.readyMs)}).`;
  const what = [late, first, ...describeFailures(failuresOf(told.fleet)), last];
  return new NoMachineError("ReadyTimeoutError", told, what.filter(Boolean).join(" "), hint);
}

/** Says that `machines-per-repository` left no room, if that is so and other runs have machines. */
function fullRepositoryError(told: Told): UserError | undefined {
  const { machines, repositoryAlive } = told.fleet;
  const most = told.options.machinesPerRepository;
  const own = machines.filter((machine) => machineFacts(machine).isAlive).length;
  if (repositoryAlive < most || repositoryAlive <= own) return undefined;
  const first = `${most} of ${most} machines of this repository were alive.`;
  const hint = "Raise machines-per-repository or ready-timeout, or run fewer workflows with GPU jobs at a time.";
  return lateError(told, { first, hint });
}

/** Says that the service's list could not be read, if that was so for most of the time; a few lost lists explain nothing. */
function unlistedError(told: Told): UserError | undefined {
  const { instancesAt, startedAt } = told.fleet;
  const since = told.now - (instancesAt ?? startedAt);
  if (since < told.options.readyMs / 2) return undefined;
  const first = `Vast.ai gave no list of instances for ${formatDuration(since)}, without which nothing is rented.`;
  return lateError(told, {
    first,
    hint: "The log has what it gave instead. Run the job again when the service works.",
  });
}

function nothingRentedError(told: Told): UserError | undefined {
  const { after, fleet, now, options } = told;
  if (fleet.machines.some((machine) => machineFacts(machine).isMade)) return undefined;
  const last = lastRefusal(fleet);
  // A pause that ended long ago is not the reason.
  const isPaused = now - (standing(fleet, "create")?.until ?? Number.NEGATIVE_INFINITY) < LATE.refusal;
  if (isPaused && last?.kind === "unregistered") return saidError(told, last.fault);
  const nothing = fleet.market?.nothing;
  // A longer search-timeout ends here, too.
  if (fleet.noOfferSince === undefined || nothing?.kind !== "none-fits") return undefined;
  const searched = `Searched for all of ready-timeout (${formatDuration(options.readyMs)}).`;
  return new NoOfferError(nothing.requirements, nothing.explanation, `${searched} ${after}`);
}

/** Says why renting pauses, by the last answer to a create, if it does. */
function pausedBy(fleet: Fleet): string | undefined {
  const last = lastRefusal(fleet);
  if (last?.kind === "unregistered") return last.fault.message.trim();
  if (last?.kind === "refused" && last.refusal.code !== "too-fast")
    return `Vast.ai refused to create a machine: ${last.refusal.sentence}.`;
  const times = standing(fleet, "create")?.times ?? 0;
  return last && `Vast.ai asked us to slow down, ${times === 1 ? "1 time" : `${times} times`}.`;
}
