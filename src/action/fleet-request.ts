import type { InstanceWishes } from "../create/rent.ts";
import type { FleetRequest } from "../fleet/state/fleet-request.ts";
import type { RunnerDownload } from "../github/runner.ts";
import { fittingEnv, jitPlaceholders, onstartEnv } from "../machine-script/onstart-env.ts";
import { ONSTART } from "../machine-script/packed.ts";
import { isDevelImage } from "../market/image-tag.ts";
import { withTemplateFilter } from "../market/search.ts";
import type { ImageFacts } from "../money/boot.ts";
import { leastMs } from "../money/budget.ts";
import { NOTHING_RENTED } from "../money/errors.ts";
import { type Limits, longestAutoBootMs, neededDurationSeconds } from "../money/limits.ts";
import { InputError } from "./input-errors.ts";
import type { InputValues } from "./input-schema.ts";
import { fullImage, knownImage } from "./known-image.ts";
import type { RunContext } from "./run-context.ts";
import type { ResolvedInputs } from "./template-of-inputs.ts";
import { volumeOf } from "./volume-inputs.ts";
import { wishesOf } from "./wishes-of-inputs.ts";

/** GitHub's limit for a runner's name. */
const MOST_RUNNER_NAME = 64;
/** The longest end of a runner's name: the use, the number of the create, that of the runner. */
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
  const jobsPerMachine = inputs["jobs-per-machine"];
  const env: FleetRequest["env"] = (machine) => machineEnv(inputs, run, { ...machine, limits, download: use.download });
  fittingEnv(env({ jitConfigs: jitPlaceholders(jobsPerMachine), deadline: 9_999_999_999, uptimeMs: 0 }));
  return {
    prefix: use.prefix,
    runnerNamePrefix: use.runnerNamePrefix,
    offer: withTemplateFilter(
      wishesOf(inputs, neededDurationSeconds(limits), use.machine),
      inputs.template?.filter ?? {},
    ),
    instance: instanceWishes(inputs),
    image,
    limits,
    jobsPerMachine,
    onstart: ONSTART,
    env,
    money: { maxCost: inputs["max-cost"], credit: use.credit },
    setupMs: setupMsOf(inputs),
    leastMs: leastMs(limits),
  };
}

function instanceWishes(inputs: Readonly<InputValues>): InstanceWishes {
  return {
    image: fullImage(inputs.image) || undefined,
    imageLogin: inputs["image-login"] || undefined,
    templateHashId: inputs["template-hash-id"] || undefined,
    runtype: inputs.runtype,
    diskGb: inputs.disk,
    volume: volumeOf(inputs),
  };
}

function imageFacts(inputs: Readonly<ResolvedInputs>, bytes: number | undefined): ImageFacts {
  const image = fullImage(knownImage(inputs));
  const name = image || inputs["template-hash-id"];
  return { name, bytes, isDevel: isDevelImage(image), decidesBoot: inputs["boot-timeout"] === "auto" };
}

function setupMsOf(inputs: Readonly<InputValues>): number {
  return inputs.setup === "" ? 0 : inputs["setup-timeout"];
}

/** How long the stages of a machine may take, by the inputs. */
export function limitsOf(inputs: Readonly<InputValues>): Limits {
  const setupMs = setupMsOf(inputs);
  // The user's own lines are not the market's fault: their time counts on top.
  const readyMs = inputs["ready-timeout"] + setupMs;
  const onlineMs = inputs["online-timeout"] + setupMs;
  const given = inputs["boot-timeout"];
  return {
    bootMs: given === "auto" ? longestAutoBootMs({ onlineMs, readyMs }) : given,
    onlineMs,
    readyMs,
    lifetimeMs: inputs["max-lifetime"],
    idleMs: inputs["idle-timeout"],
  };
}

function machineEnv(
  inputs: Readonly<InputValues>,
  run: RunContext,
  machine: Parameters<FleetRequest["env"]>[0] & { limits: Limits; download: RunnerDownload },
): Record<string, string> {
  // Later steps of this job may use it beside its runner: only its time ends it.
  const idleMs = inputs.hold ? machine.limits.idleMs : machine.limits.lifetimeMs;
  return onstartEnv(
    {
      jitConfigs: machine.jitConfigs,
      runnerUrl: machine.download.url,
      runnerSha256: machine.download.sha256,
      apiUrl: inputs["api-url"],
      deadline: machine.deadline,
      maxUptimeSeconds: Math.ceil(machine.uptimeMs / 1000),
      maxLifetimeSeconds: machine.limits.lifetimeMs / 1000,
      keepFailedSeconds: inputs["keep-failed"] / 1000,
      idleTimeoutSeconds: Math.ceil(idleMs / 1000),
      numGpus: inputs["num-gpus"],
      repository: `${run.owner}/${run.repo}`,
      runId: run.runId,
      runAttempt: run.attempt,
      setup: inputs.setup,
      setupTimeoutSeconds: inputs["setup-timeout"] / 1000,
      probe: inputs.probe,
    },
    inputs.env,
  );
}
