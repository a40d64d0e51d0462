import { packText } from "./pack-text.ts";
import { FIGURES, WORK } from "./packed.ts";

const RESERVED_PREFIXES = ["GHR_", "CONTAINER_", "ACTIONS_RUNNER_"];

/** The facts that the scripts need of their machine, runner and job. */
export interface OnstartSettings {
  /** Single-use runner configurations, one to four, one job each, in turn; secrets. */
  jitConfigs: readonly string[];
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
  /** With less than half of it left no further job is taken. */
  maxLifetimeSeconds: number;
  /** How long the machine stays when its job failed; 0 for not at all. */
  keepFailedSeconds: number;
  idleTimeoutSeconds: number;
  numGpus: number;
  /** The machine may run a job only of this repository (`owner/name`), run and attempt. */
  repository: string;
  runId: number | string;
  runAttempt: number | string;
  /** The user's lines of shell before the runner starts; empty for none. */
  setup: string;
  setupTimeoutSeconds: number;
  /** The user's line of shell that tells whether the machine is good; empty for none. */
  probe: string;
  /** Whether each job's log gets a line on what the GPUs did (default false). */
  gpuFigures?: boolean;
}

/** The create's `env`: the user's variables, checked by `isReservedName` before; our own win. */
export function onstartEnv(
  settings: OnstartSettings,
  userEnv: Readonly<Record<string, string>>,
): Record<string, string> {
  return {
    ...userEnv,
    ...configurations(settings.jitConfigs),
    GHR_RUNNER_URL: settings.runnerUrl,
    GHR_RUNNER_SHA256: settings.runnerSha256,
    GHR_API_URL: settings.apiUrl.replace(/\/+$/, ""),
    // Bash counts in whole numbers only.
    GHR_DEADLINE: String(Math.floor(settings.deadline)),
    GHR_MAX_UPTIME: String(Math.ceil(settings.maxUptimeSeconds)),
    GHR_MAX_LIFETIME: String(Math.ceil(settings.maxLifetimeSeconds)),
    GHR_KEEP_FAILED: String(Math.ceil(settings.keepFailedSeconds)),
    GHR_IDLE_TIMEOUT: String(Math.ceil(settings.idleTimeoutSeconds)),
    GHR_NUM_GPUS: String(settings.numGpus),
    GHR_REPOSITORY: settings.repository,
    GHR_RUN_ID: String(settings.runId),
    GHR_RUN_ATTEMPT: String(settings.runAttempt),
    GHR_WORK: WORK,
    ...(settings.gpuFigures && { GHR_FIGURES: FIGURES }),
    ...(settings.probe && { GHR_PROBE: packText(settings.probe) }),
    ...(settings.setup && {
      GHR_SETUP: packText(settings.setup),
      GHR_SETUP_TIMEOUT: String(Math.ceil(settings.setupTimeoutSeconds)),
    }),
  };
}

/** The first one is GHR_JIT, the further ones GHR_JIT_2 and so on. */
function configurations(jitConfigs: readonly string[]): Record<string, string> {
  return Object.fromEntries(jitConfigs.map((jit, index) => [index === 0 ? "GHR_JIT" : `GHR_JIT_${index + 1}`, jit]));
}

/** True for variables of the bootstrap, the service or the runner, which no user may set. */
export function isReservedName(name: string): boolean {
  return RESERVED_PREFIXES.some((prefix) => name.startsWith(prefix));
}
