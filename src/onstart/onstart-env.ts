const RESERVED_PREFIXES = ["GHR_", "CONTAINER_", "ACTIONS_RUNNER_"];

/** What the bootstrap must know about its machine, its runner and its job. */
export interface OnstartSettings {
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
}

/**
 * Builds the `env` of the create request: the user's variables and the bootstrap's own, which win. The names of the
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
  };
}

/** Tells whether a variable belongs to the bootstrap, the service or the runner, so that a user must not set it. */
export function isReservedName(name: string): boolean {
  return RESERVED_PREFIXES.some((prefix) => name.startsWith(prefix));
}
