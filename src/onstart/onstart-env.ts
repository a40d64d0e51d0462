import { EnvTooLongError } from "./env-too-long-error.ts";
import { packText } from "./pack-text.ts";
import { stripScript } from "./strip-script.ts";

/** Documented for the service, not in the seed: the most characters that create takes for `env`, names and values as JSON. */
export const ENV_LIMIT = 32_768;

const RESERVED_PREFIXES = ["GHR_", "CONTAINER_", "ACTIONS_RUNNER_"];

/** What the scripts must know about their machine, its runner and its job. */
export interface OnstartSettings {
  /** The script that the bootstrap runs: onstart/work.sh. */
  work: string;
  /** The single-use runner configuration; a secret. */
  jitConfig: string;
  /** Where the runner's tarball is downloaded from, without any credentials. */
  runnerUrl: string;
  /** SHA-256 of that tarball, in hex. */
  runnerSha256: string;
  /** Base URL of the rental service. */
  apiUrl: string;
  /** Unix time in seconds at which the machine gives itself back, whatever runs on it. */
  deadline: number;
  /** The same as a length of time, from the first start of the container. */
  maxUptimeSeconds: number;
  idleTimeoutSeconds: number;
  numGpus: number;
  /** The only job that the machine may run is one of this repository (`owner/name`), run and attempt. */
  repository: string;
  runId: number | string;
  runAttempt: number | string;
  /** The user's lines of shell before the runner starts; empty for none. */
  setup: string;
  setupTimeoutSeconds: number;
  /** The user's line of shell that tells whether the machine is good; empty for none. */
  probe: string;
}

/**
 * Builds the `env` of the create request: the user's variables and our own, which win. The names of the
 * user's variables have been checked with `isReservedName` before.
 */
export function onstartEnv(
  settings: OnstartSettings,
  userEnv: Readonly<Record<string, string>>,
): Record<string, string> {
  return {
    ...userEnv,
    GHR_JIT: settings.jitConfig,
    GHR_RUNNER_URL: settings.runnerUrl,
    GHR_RUNNER_SHA256: settings.runnerSha256,
    GHR_API_URL: settings.apiUrl.replace(/\/+$/, ""),
    // Bash counts in whole numbers only.
    GHR_DEADLINE: String(Math.floor(settings.deadline)),
    GHR_MAX_UPTIME: String(Math.ceil(settings.maxUptimeSeconds)),
    GHR_IDLE_TIMEOUT: String(Math.ceil(settings.idleTimeoutSeconds)),
    GHR_NUM_GPUS: String(settings.numGpus),
    GHR_REPOSITORY: settings.repository,
    GHR_RUN_ID: String(settings.runId),
    GHR_RUN_ATTEMPT: String(settings.runAttempt),
    GHR_WORK: packText(stripScript(settings.work)),
    ...(settings.probe && { GHR_PROBE: packText(settings.probe) }),
    ...(settings.setup && {
      GHR_SETUP: packText(settings.setup),
      GHR_SETUP_TIMEOUT: String(Math.ceil(settings.setupTimeoutSeconds)),
    }),
  };
}

/** Returns the variables as they are, or fails with EnvTooLongError where the service would not take so many. */
export function fittingEnv(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const { length } = JSON.stringify(env);
  if (length > ENV_LIMIT) throw new EnvTooLongError(length, ENV_LIMIT);
  return env;
}

/** Tells whether a variable belongs to the bootstrap, the service or the runner, so that a user must not set it. */
export function isReservedName(name: string): boolean {
  return RESERVED_PREFIXES.some((prefix) => name.startsWith(prefix));
}
