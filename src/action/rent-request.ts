import type { RunnerDownload } from "../github/runner-desk.ts";
import { onstartEnv } from "../onstart/onstart-env.ts";
import { packOnstart } from "../onstart/pack-onstart.ts";
import { readBootstrap } from "../onstart/read-bootstrap.ts";
import { type Limits, neededDurationSeconds } from "../provisioning/lifetime.ts";
import type { RentRequest } from "../provisioning/rent-one.ts";
import type { InputValues } from "./input-schema.ts";
import type { RunContext } from "./run-context.ts";
import { wishesOf } from "./wishes-of-inputs.ts";

/** The image as it is sent: the service fails on one without tag or digest, so `:latest` is said aloud. */
export function fullImage(image: string): string {
  return /@sha256:|:[^/]+$/.test(image) ? image : `${image}:latest`;
}

/** `boot-timeout: auto` gives every machine so long at the least. */
const SHORTEST_AUTO_BOOT_MS = 600_000;

/** What the inputs ask of the renting room. */
export function rentRequest(
  inputs: Readonly<InputValues>,
  run: RunContext,
  use: { prefix: string; runnerNamePrefix: string; download: RunnerDownload; credit?: number | undefined },
): RentRequest {
  const limits = limitsOf(inputs);
  return {
    prefix: use.prefix,
    runnerNamePrefix: use.runnerNamePrefix,
    offer: wishesOf(inputs, neededDurationSeconds(limits)),
    searchMs: inputs["search-timeout"],
    instance: { image: fullImage(inputs.image), diskGb: inputs.disk },
    limits,
    attempts: inputs.attempts,
    onstart: packOnstart(readBootstrap()),
    env: (machine) => machineEnv(inputs, run, { ...machine, limits, download: use.download }),
    money: { maxCost: inputs["max-cost"], credit: use.credit },
  };
}

function limitsOf(inputs: Readonly<InputValues>): Limits {
  return {
    bootMs: inputs["boot-timeout"] === "auto" ? SHORTEST_AUTO_BOOT_MS : inputs["boot-timeout"],
    onlineMs: inputs["online-timeout"],
    readyMs: inputs["ready-timeout"],
    lifetimeMs: inputs["max-lifetime"],
    idleMs: inputs["idle-timeout"],
  };
}

function machineEnv(
  inputs: Readonly<InputValues>,
  run: RunContext,
  machine: { jitConfig: string; deadline: number; uptimeMs: number; limits: Limits; download: RunnerDownload },
): Record<string, string> {
  return onstartEnv(
    {
      jitConfig: machine.jitConfig,
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
    },
    inputs.env,
  );
}
