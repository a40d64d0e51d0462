import type { FleetOptions, FleetRequest } from "../fleet/options.ts";
import type { RunContext } from "../github/github.ts";
import type { RunnerDownload } from "../github/runners.ts";
import { fitsEnv, fittingEnv, jitPlaceholders, onstartEnv } from "../machine-script/onstart-env.ts";
import { ONSTART } from "../machine-script/packed.ts";
import { cudaOfImage, isDevelImage } from "../market/image-tag.ts";
import type { OfferRequirements } from "../market/offer-requirements.ts";
import { withTemplateFilter } from "../market/search.ts";
import type { InstanceRequirements, Volume } from "../marketplace/marketplace.ts";
import type { ImageFacts } from "../money/boot.ts";
import { leastMs } from "../money/budget.ts";
import { NOTHING_RENTED } from "../money/errors.ts";
import { type Limits, longestAutoBootMs, neededDurationSeconds, sensibleJobMs } from "../money/limits.ts";
import { formatPrice } from "../money/price.ts";
import { readImageName, readLogin } from "../registry/image-name.ts";
import { formatDuration } from "../shared/duration.ts";
import { InputError } from "./errors.ts";
import { fullImage, knownImage, type ResolvedInputs } from "./image.ts";
import type { InputValues } from "./input-schema.ts";

/** GitHub's limit for a runner's name. */
const MOST_RUNNER_NAME = 64;
/** The longest end of a runner's name: the session's id, the number of the create, that of the runner. */
const LONGEST_RUNNER_MARK = "-abcdef-999-4";

/** Throws before renting where GitHub would refuse a runner's name, made of run and `name`. */
function checkRunnerNames({ runnerLabel }: RunContext, name: string): void {
  const length = runnerLabel.length + LONGEST_RUNNER_MARK.length;
  if (length <= MOST_RUNNER_NAME) return;
  const less = `allowed is one that is shorter by ${length - MOST_RUNNER_NAME} characters`;
  const line = `name: makes runner names of ${length} characters, ${less}, given was "${name}"`;
  throw new InputError([{ name: "name", line }], NOTHING_RENTED);
}

/** The inputs as demands on the market and on each machine. */
export function fleetRequest(
  inputs: Readonly<ResolvedInputs>,
  run: RunContext,
  use: {
    prefix: string;
    runnerNamePrefix: string;
    download: RunnerDownload;
    imageBytes: number | undefined;
    credit?: number | undefined;
    /** Where the volume is, if there is one. */
    machine?: number | undefined;
  },
): FleetRequest {
  checkRunnerNames(run, inputs.name);
  const image = imageFacts(inputs, use.imageBytes);
  const limits = limitsOf(inputs);
  const jobsPerMachine = inputs.jobsPerMachine;
  const envOf = (gpuFigures: boolean): FleetRequest["env"] => {
    return (machine) => machineEnv({ ...inputs, gpuFigures }, run, { ...machine, download: use.download });
  };
  const longest = { jitConfigs: jitPlaceholders(jobsPerMachine), deadline: 9_999_999_999_000, uptimeMs: 0 };
  // They are worth no input of the user's: left out where there is no room for them.
  const env = envOf(inputs.gpuFigures && fitsEnv(envOf(true)(longest)));
  fittingEnv(env(longest));
  return {
    prefix: use.prefix,
    runnerNamePrefix: use.runnerNamePrefix,
    offer: withTemplateFilter(
      requirementsOf(inputs, neededDurationSeconds(limits), use.machine),
      inputs.template?.filter ?? {},
    ),
    instance: instanceRequirements(inputs),
    image,
    limits,
    jobsPerMachine,
    onstart: ONSTART,
    env,
    money: { maxCost: inputs.maxCost, credit: use.credit },
    setupMs: setupMsOf(inputs),
    leastMs: leastMs(limits),
    jobMs: jobMsOf(inputs),
  };
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
  const image = fullImage(knownImage(inputs));
  const name = image || inputs.templateHashId;
  return { name, bytes, isDevel: isDevelImage(image), decidesBoot: inputs.bootTimeout === "auto" };
}

function jobMsOf({ jobMinutes }: Readonly<InputValues>): number | undefined {
  return jobMinutes === undefined ? undefined : jobMinutes * 60_000;
}

function setupMsOf(inputs: Readonly<InputValues>): number {
  return inputs.setup === "" ? 0 : inputs.setupTimeout;
}

/** How long the stages of a machine may take, by the inputs. */
function limitsOf(inputs: Readonly<InputValues>): Limits {
  const setupMs = setupMsOf(inputs);
  // The user's own lines are not the market's fault: their time counts on top.
  const readyMs = inputs.readyTimeout + setupMs;
  const onlineMs = inputs.onlineTimeout + setupMs;
  const given = inputs.bootTimeout;
  return {
    bootMs: given === "auto" ? longestAutoBootMs({ onlineMs, readyMs }) : given,
    onlineMs,
    readyMs,
    maxLifetime: inputs.maxLifetime,
  };
}

/** Inputs that a machine learns, each under its own name: keys and tokens are none of them. */
const OF_MACHINE = [
  "apiUrl",
  "maxLifetime",
  "keepFailed",
  "numGpus",
  "setup",
  "setupTimeout",
  "probe",
  "gpuFigures",
] as const;

function machineEnv(
  inputs: Readonly<InputValues>,
  run: RunContext,
  machine: Parameters<FleetRequest["env"]>[0] & { download: RunnerDownload },
): Record<string, string> {
  return onstartEnv(
    {
      ...pick(inputs, OF_MACHINE),
      ...machine,
      // Later steps of this job may use it beside its runner: only its time ends it.
      idleTimeout: inputs.hold ? inputs.idleTimeout : inputs.maxLifetime,
      repository: `${run.owner}/${run.repo}`,
      runId: run.runId,
      runAttempt: run.attempt,
    },
    inputs.env,
  );
}

/** Mbit/s that `auto` asks for: a usual image takes some minutes, a devel one not many more. */
const INET_DOWN = { usual: 200, devel: 400 };

/** Inputs that say what an offer must be, each under its own name. */
const OF_OFFER = [
  "gpuName",
  "numGpus",
  "maxPrice",
  "minReliability",
  "disk",
  "minGpuRamGb",
  "minComputeCap",
  "minCpuCores",
  "minCpuRamGb",
  "geolocation",
  "datacenter",
  "offerFilter",
  "excludeMachines",
  "order",
] as const;

/** The inputs as requirements for an offer. The tag of the image, a template's too, decides `auto`. */
export function requirementsOf(
  inputs: Readonly<ResolvedInputs>,
  durationSeconds: number,
  machine?: number | undefined,
): OfferRequirements {
  const image = knownImage(inputs);
  const { minCuda: cuda, minInetDownMbps: inetDown } = inputs;
  return {
    ...pick(inputs, OF_OFFER),
    durationSeconds,
    minCuda: cuda === "auto" ? (cudaOfImage(image) ?? 0) : cuda,
    minInetDownMbps: inetDown === "auto" ? INET_DOWN[isDevelImage(image) ? "devel" : "usual"] : inetDown,
    bid: inputs.pricing === "bid" ? { price: inputs.bidPrice } : undefined,
    machine,
  };
}

/** Inputs that rule the fleet, each under its own name. */
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
  "volumeCreateNew",
  "gpuFigures",
] as const;

/** The inputs that rule the fleet, and what follows from them. */
export function fleetOptions(inputs: Readonly<InputValues>, { attempt }: RunContext): FleetOptions {
  return {
    ...pick(inputs, OF_FLEET),
    hedge: inputs.hedge && inputs.hold && inputs.machines > 1,
    readyMs: limitsOf(inputs).readyMs,
    attempt,
    hasProbe: inputs.probe !== "",
    asksImage: false,
  };
}

function pick<From, Name extends keyof From>(from: From, names: readonly Name[]): Pick<From, Name> {
  return Object.fromEntries(names.map((name) => [name, from[name]])) as Pick<From, Name>;
}

/** The volume as a create asks for it; undefined without one. */
export function volumeOf(inputs: Readonly<InputValues>): Volume | undefined {
  const { volumeId: id, volumeSize: sizeGb, volumeMountPath: mountPath, volumeCreateNew } = inputs;
  if (id === undefined) return undefined;
  const isNew = volumeCreateNew && sizeGb !== undefined;
  return isNew ? { kind: "new", offerId: id, sizeGb, mountPath } : { kind: "existing", id, mountPath };
}

/** A line on inputs that are no mistake, and yet may not do what was meant. */
interface InputWarning {
  text: string;
  /** It may cost a job: worth an annotation. */
  isWarning: boolean;
}

/** Finds what to tell of the inputs before anything is rented. */
export function inputWarnings(inputs: Readonly<InputValues>): InputWarning[] {
  const notes = noteLines(inputs).map((text) => ({ text, isWarning: false }));
  return [...notes, ...shortLines(inputs).map((text) => ({ text, isWarning: true }))];
}

function noteLines(inputs: Readonly<InputValues>): string[] {
  const { hedge, hold, image, machines } = inputs;
  const full = fullImage(image);
  const { readyMs } = limitsOf(inputs);
  const { searchTimeout } = inputs;
  const [ready, search] = [readyMs, searchTimeout].map(formatDuration);
  const [ofLogin, ofImage] = [readLogin(inputs.imageLogin), readImageName(image)].map((each) => each?.registry);
  return linesThatHold([
    [full !== image, `The image has neither tag nor digest; ${full} is used.`],
    [
      ofLogin !== undefined && image !== "" && ofLogin !== ofImage,
      // That of the login is not shown: who swaps it with the token would find that here.
      `image-login is for another registry than ${ofImage}, where the image is: it is pulled without a login.`,
    ],
    [
      hedge && hold && machines === 1,
      "hedge has no effect with machines: 1: no second machine is started for one that is late.",
    ],
    [
      searchTimeout > readyMs,
      `search-timeout (${search}) is more than ready-timeout (${ready}), which ends the search as well: to search for longer, raise both.`,
    ],
  ]);
}

/** A machine that lives for less than ten minutes, or less than its job takes, is rarely what was meant. */
function shortLines(inputs: Readonly<InputValues>): string[] {
  const { maxCost, maxLifetime, maxPrice } = inputs;
  const leastMs = sensibleJobMs(jobMsOf(inputs));
  const paidMs = maxCost === undefined ? Number.POSITIVE_INFINITY : (maxCost / maxPrice) * 3_600_000;
  const loses = "a GPU job that takes longer loses its machine";
  return linesThatHold([
    [maxLifetime < leastMs, `max-lifetime leaves a machine ${formatDuration(maxLifetime)}: ${loses}.`],
    [
      paidMs < leastMs,
      `max-cost (${formatPrice(maxCost ?? 0)}) pays a machine at max-price (${formatPrice(maxPrice)} per hour) for ${formatDuration(paidMs)}: ${loses}.`,
    ],
  ]);
}

function linesThatHold(lines: readonly (readonly [holds: boolean, line: string])[]): string[] {
  return lines.flatMap(([holds, line]) => (holds ? [line] : []));
}
