import type { FleetOptions, FleetRequest } from "../fleet/options.ts";
import type { RunContext } from "../github/github.ts";
import type { RunnerDownload } from "../github/runners.ts";
import { fullImage } from "../image/image-name.ts";
import { cudaOfImage, isDevelImage } from "../image/image-tag.ts";
import { fitsEnv, fittingEnv, jitPlaceholders, onstartEnv } from "../machine/script/onstart-env.ts";
import { ONSTART } from "../machine/script/packed.ts";
import type { InstanceRequirements, Volume } from "../marketplace/marketplace.ts";
import { leastMs } from "../money/budget.ts";
import { NOTHING_RENTED } from "../money/errors.ts";
import { type Month, withinMonth } from "../money/month.ts";
import type { OfferRequirements } from "../offers/offer-requirements.ts";
import { withTemplateFilter } from "../offers/search.ts";
import type { ImageFacts } from "../timing/boot.ts";
import { type Limits, longestAutoBootMs, neededDurationSeconds } from "../timing/limits.ts";
import { imageOf } from "./image.ts";
import { InputError } from "./inputs/errors.ts";
import { type InputValues, OFFER_OPTIONS } from "./inputs/schema.ts";
import type { ResolvedInputs } from "./template.ts";
import { expiresSoon } from "./token-kinds.ts";

const MOST_RUNNER_NAME = 64;
/** The longest end of a runner's name: the session's id, the number of the create, that of the runner. */
const LONGEST_RUNNER_MARK = "-abcdef-999-4";

/** Throws before renting if GitHub would refuse a runner's name, which is made of run and `name`. */
function checkRunnerNames({ runnerLabel }: RunContext, name: string): void {
  const length = runnerLabel.length + LONGEST_RUNNER_MARK.length;
  if (length <= MOST_RUNNER_NAME) return;
  const wrong = `must be shorter by ${length - MOST_RUNNER_NAME} characters, as GitHub takes runner names up to ${MOST_RUNNER_NAME}, got "${name}"`;
  throw new InputError([{ name: "name", wrong }], NOTHING_RENTED);
}

interface FoundBefore {
  prefix: string;
  runnerNamePrefix: string;
  download: RunnerDownload;
  imageBytes: number | undefined;
  credit?: number | undefined;
  /** Undefined: no limit, or not known. */
  month?: Month | undefined;
  /** Where the volume is, if there is one. */
  machine?: number | undefined;
}

/** Makes the request: what is asked of the market and of each machine. Throws if a machine's variables are too long. */
export function fleetRequest(inputs: Readonly<ResolvedInputs>, run: RunContext, found: FoundBefore): FleetRequest {
  checkRunnerNames(run, inputs.name);
  const { jobMinutes, jobsPerMachine, setupTimeout, template } = inputs;
  const limits = limitsOfInputs(inputs);
  const offer = { ...requirementsOf(inputs, neededDurationSeconds(limits), found.machine), credit: found.credit };
  return {
    prefix: found.prefix,
    runnerNamePrefix: found.runnerNamePrefix,
    offer: withTemplateFilter(offer, template?.filter ?? {}),
    instance: instanceRequirements(inputs),
    image: imageFacts(inputs, found.imageBytes),
    limits,
    jobsPerMachine,
    onstart: ONSTART,
    env: checkedEnv(inputs, run, found.download),
    money: { ...withinMonth(inputs.maxCost, found.month), credit: found.credit },
    setupMs: setupTimeout,
    leastMs: leastMs(limits),
    jobMs: jobMinutes && jobMinutes * 60_000,
  };
}

/** Returns what makes a machine's variables. Throws EnvTooLongError if the longest ones don't fit. */
function checkedEnv(inputs: Readonly<InputValues>, run: RunContext, download: RunnerDownload): FleetRequest["env"] {
  const ofRun = { repository: `${run.owner}/${run.repo}`, runId: run.runId, runAttempt: run.attempt };
  // Without `hold` later steps use the machine without a job on its runner, so only its lifetime ends it.
  const idleTimeout = inputs.hold ? inputs.idleTimeout : inputs.maxLifetime;
  const ofAll = { ...inputs, ...ofRun, idleTimeout, download };
  const envOf = (gpuFigures: boolean): FleetRequest["env"] => {
    return (machine) => onstartEnv({ ...ofAll, ...machine, gpuFigures }, inputs.env);
  };
  const longest = { jitConfigs: jitPlaceholders(inputs.jobsPerMachine), deadline: 9_999_999_999_000, uptimeMs: 0 };
  // Figures are left out if they leave too little room for the user's own inputs.
  const env = envOf(inputs.gpuFigures && fitsEnv(envOf(true)(longest)));
  fittingEnv(env(longest));
  return env;
}

function instanceRequirements(inputs: Readonly<InputValues>): InstanceRequirements {
  return {
    image: fullImage(inputs.image) || undefined,
    imageLogin: inputs.imageLogin || undefined,
    templateHashId: inputs.templateHashId || undefined,
    runtype: inputs.runtype,
    disk: inputs.disk,
    volume: volumeOf(inputs),
  };
}

function imageFacts(inputs: Readonly<ResolvedInputs>, bytes: number | undefined): ImageFacts {
  const image = imageOf(inputs);
  const name = image || inputs.templateHashId;
  return { name, bytes, isDevel: isDevelImage(image), decidesBoot: inputs.bootTimeout === "auto" };
}

function limitsOfInputs(inputs: Readonly<InputValues>): Limits {
  const { bootTimeout, maxLifetime, onlineTimeout, readyTimeout, setupTimeout } = inputs;
  // `setup` is the user's own time, not the market's, so it is added.
  const readyMs = readyTimeout + setupTimeout;
  const onlineMs = onlineTimeout + setupTimeout;
  const bootMs = bootTimeout === "auto" ? longestAutoBootMs({ onlineMs, readyMs }) : bootTimeout;
  return { bootMs, onlineMs, readyMs, maxLifetime };
}

/** Mbit/s that `auto` asks for: a usual image takes some minutes, a devel one not many more. */
const INET_DOWN = { usual: 200, devel: 400 };

/** Makes the requirements for an offer. The name of the image, a template's too, decides `auto`. */
export function requirementsOf(
  inputs: Readonly<ResolvedInputs>,
  durationSeconds: number,
  machine?: number | undefined,
): OfferRequirements {
  const image = imageOf(inputs);
  const { disk, minCuda, minInetDownMbps } = inputs;
  const cuda = minCuda === "auto" ? cudaOfImage(image) : undefined;
  return {
    ...pick(inputs, OFFER_OPTIONS),
    disk,
    durationSeconds,
    minCuda: minCuda === "auto" ? (cuda?.least ?? 0) : minCuda,
    imageCuda: cuda?.most,
    minInetDownMbps: minInetDownMbps === "auto" ? INET_DOWN[isDevelImage(image) ? "devel" : "usual"] : minInetDownMbps,
    bid: inputs.pricing === "bid" ? { price: inputs.bidPrice } : undefined,
    machine,
  };
}

/** Inputs that rule the fleet. Named one by one: its options are written down, and no secret is one. */
const OF_FLEET = [
  "machines",
  "jobs",
  "hold",
  "maxPrice",
  "attempts",
  "machinesPerRepository",
  "waitForJob",
  "idleTimeout",
  "searchTimeout",
  "maxLifetime",
  "keepFailed",
  "bidFallback",
  "gpuFigures",
] as const;

/** Makes the options of the fleet: inputs, and what follows from them. `asksImage`: its registry has no such image. */
export function fleetOptions(inputs: Readonly<InputValues>, { attempt }: RunContext, asksImage = false): FleetOptions {
  return {
    ...pick(inputs, OF_FLEET),
    hedge: inputs.hedge && inputs.hold && inputs.machines > 1,
    readyMs: limitsOfInputs(inputs).readyMs,
    attempt,
    hasProbe: inputs.probe !== "",
    tokenExpires: expiresSoon(inputs.githubToken),
    asksImage,
  };
}

function pick<From, Name extends keyof From>(from: From, names: readonly Name[]): Pick<From, Name> {
  return Object.fromEntries(names.map((name) => [name, from[name]])) as Pick<From, Name>;
}

/** Describes the volume as a create asks for it; undefined without one. */
export function volumeOf({ volumeId: id, volumeMountPath: mountPath }: Readonly<InputValues>): Volume | undefined {
  return id === undefined ? undefined : { id, mountPath };
}
