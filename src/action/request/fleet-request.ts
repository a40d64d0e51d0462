import type { FleetRequest } from "../../fleet/fleet-request.ts";
import type { RunnerDownload } from "../../github/runner.ts";
import { type ImageFacts, longestAutoBootMs, pullMs } from "../../limits/boot-time.ts";
import { type Limits, neededDurationSeconds } from "../../limits/lifetime.ts";
import type { InstanceWishes } from "../../machine/instance-config.ts";
import { leastMs } from "../../money/budget.ts";
import { isDevelImage } from "../../market/image-tag.ts";
import { withTemplateFilter } from "../../market/template-filter.ts";
import { NOTHING_RENTED } from "../../money/what-bills.ts";
import { fittingEnv, onstartEnv } from "../../onstart/onstart-env.ts";
import { packOnstart } from "../../onstart/pack-onstart.ts";
import { readBootstrap } from "../../onstart/read-bootstrap.ts";
import { readWork } from "../../onstart/read-work.ts";
import { InputError } from "../inputs/input-errors.ts";
import type { InputValues } from "../inputs/input-schema.ts";
import { volumeOf } from "../inputs/volume-inputs.ts";
import type { RunContext } from "../platform/run-context.ts";
import { fullImage, knownImage } from "./known-image.ts";
import type { ResolvedInputs } from "./template-of-inputs.ts";
import { wishesOf } from "./wishes-of-inputs.ts";

/** A runner configuration has about 4,100; it is made long after the inputs were checked. */
const JIT_CHARACTERS = 6000;

/** GitHub's limit for a runner's name. */
const MOST_RUNNER_NAME = 64;
/** What stands behind the runner label in it: the use, the number of the create, that of the runner. */
const LONGEST_RUNNER_MARK = "-abcdef-999-4";

/** A runner's name holds the run's number and `name`: it must be one that GitHub takes, before anything is rented. */
function checkRunnerNames({ runnerLabel }: RunContext, name: string): void {
  const length = runnerLabel.length + LONGEST_RUNNER_MARK.length;
  if (length <= MOST_RUNNER_NAME) return;
  const less = `allowed is one that is shorter by ${length - MOST_RUNNER_NAME} characters`;
  const line = `name: makes runner names of ${length} characters, ${less}, given was "${name}"`;
  throw new InputError([{ name: "name", line }], NOTHING_RENTED);
}

/** What the inputs ask of the market and of each machine. */
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
  const limits = limitsOf(inputs, image);
  const env: FleetRequest["env"] = (machine) => machineEnv(inputs, run, { ...machine, limits, download: use.download });
  const jobsPerMachine = inputs["jobs-per-machine"];
  const jitConfigs = Array.from({ length: jobsPerMachine }, () => "x".repeat(JIT_CHARACTERS));
  fittingEnv(env({ jitConfigs, deadline: 9_999_999_999, uptimeMs: 0 }));
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
    onstart: packOnstart(readBootstrap()),
    env,
    money: { maxCost: inputs["max-cost"], credit: use.credit, imageBytes: use.imageBytes },
    leastMs: leastMs(limits),
    expectedBootMs: (offer) => usualBootMs(image, offer),
    lateMs: (offer) => Math.max(60_000, 1.25 * usualBootMs(image, offer)),
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
  return { bytes, isDevel: isDevelImage(knownImage(inputs)), decidesBoot: inputs["boot-timeout"] === "auto" };
}

function limitsOf(inputs: Readonly<InputValues>, image: ImageFacts): Limits {
  const setupMs = inputs.setup === "" ? 0 : inputs["setup-timeout"];
  // What the user's own lines may take is not the market's fault: it counts on top.
  const readyMs = inputs["ready-timeout"] + setupMs;
  const given = inputs["boot-timeout"];
  return {
    bootMs: given === "auto" ? Math.min(longestAutoBootMs(image), readyMs) : given,
    onlineMs: inputs["online-timeout"] + setupMs,
    readyMs,
    lifetimeMs: inputs["max-lifetime"],
    idleMs: inputs["idle-timeout"],
  };
}

function machineEnv(
  inputs: Readonly<InputValues>,
  run: RunContext,
  machine: { jitConfigs: readonly string[]; deadline: number; uptimeMs: number; limits: Limits; download: RunnerDownload },
): Record<string, string> {
  return onstartEnv(
    {
      jitConfig: machine.jitConfigs[0] ?? "",
      runnerUrl: machine.download.url,
      runnerSha256: machine.download.sha256,
      apiUrl: inputs["api-url"],
      deadline: machine.deadline,
      maxUptimeSeconds: Math.ceil(machine.uptimeMs / 1000),
      idleTimeoutSeconds: Math.ceil(machine.limits.idleMs / 1000),
      numGpus: inputs["num-gpus"],
      repository: `${run.owner}/${run.repo}`,
      runId: run.runId,
      runAttempt: run.attempt,
      work: readWork(),
      setup: inputs.setup,
      setupTimeoutSeconds: inputs["setup-timeout"] / 1000,
      probe: inputs.probe,
    },
    inputs.env,
  );
}

function usualBootMs({ bytes, isDevel }: ImageFacts, offer: Parameters<typeof pullMs>[1]): number {
  return 40_000 + pullMs(bytes ?? (isDevel ? 10e9 : 5e9), offer);
}
