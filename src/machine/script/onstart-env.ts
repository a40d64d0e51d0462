import { UserError } from "../../shared/user-error.ts";
import { packText } from "./pack-text.ts";
import { FIGURES, WORK } from "./packed.ts";

/** The inputs that decide how long a machine's variables are. */
const LONG_INPUTS = ["jobs-per-machine", "env", "setup", "probe"] as const;

type LongInput = (typeof LONG_INPUTS)[number];

/** Says that a machine's variables have more characters than the service takes. Nothing was rented. */
export class EnvTooLongError extends UserError {
  readonly input: LongInput;

  /** `input` takes the most; `allowed`: what it may take while the others stay, as the end of a sentence. */
  constructor(input: LongInput, allowed: string, length: number) {
    const most = `The machine's variables have ${length} characters when packed; the service takes at most ${ENV_LIMIT}.`;
    super(`${most} ${input} takes most of what is yours: it must be ${allowed}. Nothing was rented.`, {
      hint: "Shorten env and setup: bring what is long in the image, or fetch it in setup. Or lower jobs-per-machine.",
    });
    this.input = input;
  }
}

/** The most characters for `env` in a create, as JSON. The service documents it; the specification does not. */
export const ENV_LIMIT = 32_768;

/** The characters of a runner configuration: about 4,100, more for long names of owner, repository and runner. */
const JIT_CHARACTERS = 4800;

/** Makes stand-ins for the runner configurations of a machine, which are registered later: one for each job. */
export function jitPlaceholders(jobsPerMachine: number): string[] {
  return Array.from({ length: jobsPerMachine }, () => "x".repeat(JIT_CHARACTERS));
}

/** True if the service takes so many variables. */
export function fitsEnv(env: Readonly<Record<string, string>>): boolean {
  return JSON.stringify(env).length <= ENV_LIMIT;
}

/** Returns the variables. Throws EnvTooLongError if the service would not take them. */
export function fittingEnv(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  if (fitsEnv(env)) return env;
  const { length } = JSON.stringify(env);
  const ofInputs = Map.groupBy(Object.entries(env), ([name]) => inputOf(name));
  // With the colon and the comma.
  const sizeOf = ([name, value]: [string, string]) => JSON.stringify(name).length + JSON.stringify(value).length + 2;
  const sizes = LONG_INPUTS.map((input) => {
    const variables = ofInputs.get(input) ?? [];
    return { input, count: variables.length, size: variables.reduce((sum, each) => sum + sizeOf(each), 0) };
  });
  const { count, input, size } = sizes.reduce((most, next) => (next.size > most.size ? next : most));
  const left = size - (length - ENV_LIMIT);
  const isJobs = input === "jobs-per-machine";
  const allowed = isJobs
    ? `at most ${1 + Math.max(0, Math.floor((left * count) / size))}`
    : charactersLeft(left, input);
  throw new EnvTooLongError(input, allowed, length);
}

/** Returns the input of a variable. The first runner configuration is no input's: it is always there. */
function inputOf(name: string): LongInput | undefined {
  if (name.startsWith("GHR_JIT_")) return "jobs-per-machine";
  if (name === "GHR_SETUP") return "setup";
  if (name === "GHR_PROBE") return "probe";
  return name.startsWith("GHR_") ? undefined : "env";
}

function charactersLeft(left: number, input: LongInput): string {
  if (left <= 0) return "empty, given the others, which are too long, too";
  return `at most ${left} characters${input === "env" ? "" : " when packed"}, given the others`;
}

const RESERVED_PREFIXES = ["GHR_", "CONTAINER_", "ACTIONS_RUNNER_"];

/** What the scripts on a machine have to know. Times in milliseconds. */
interface OnstartSettings {
  /** Single-use runner configurations, one to four, one job each, in turn; secrets. */
  jitConfigs: readonly string[];
  /** The runner's tarball: an address that asks for no credentials, and its SHA-256 in hex. */
  download: { url: string; sha256: string };
  /** Base URL of the rental service. */
  apiUrl: string;
  /** When the machine gives itself back, whatever runs on it. */
  deadline: number;
  /** How long the container may run from its first start: what is left to the deadline. */
  uptimeMs: number;
  /** With less than half of this time left the machine takes no further job. */
  maxLifetime: number;
  /** How long the machine stays when its job failed; 0 for not at all. */
  keepFailed: number;
  idleTimeout: number;
  numGpus: number;
  /** The machine may run a job only of this repository (`owner/name`), run and attempt. */
  repository: string;
  runId: number | string;
  runAttempt: number | string;
  /** The user's lines of shell before the runner starts; empty for none. */
  setup: string;
  setupTimeout: number;
  /** The user's line of shell that tests the machine; empty for none. */
  probe: string;
  /** Whether each job's log gets a line on what the GPUs did (default false). */
  gpuFigures?: boolean;
}

/** Makes a create's `env`: the user's variables, checked by `isReservedName` before, and our own, which win. */
export function onstartEnv(
  settings: OnstartSettings,
  userEnv: Readonly<Record<string, string>>,
): Record<string, string> {
  return {
    ...userEnv,
    ...Object.fromEntries(settings.jitConfigs.map((jit, k) => [k === 0 ? "GHR_JIT" : `GHR_JIT_${k + 1}`, jit])),
    GHR_RUNNER_URL: settings.download.url,
    GHR_RUNNER_SHA256: settings.download.sha256,
    GHR_API_URL: settings.apiUrl.replace(/\/+$/, ""),
    GHR_DEADLINE: String(Math.floor(settings.deadline / 1000)),
    GHR_MAX_UPTIME: inSeconds(settings.uptimeMs),
    GHR_MAX_LIFETIME: inSeconds(settings.maxLifetime),
    GHR_KEEP_FAILED: inSeconds(settings.keepFailed),
    GHR_IDLE_TIMEOUT: inSeconds(settings.idleTimeout),
    GHR_NUM_GPUS: String(settings.numGpus),
    GHR_REPOSITORY: settings.repository,
    GHR_RUN_ID: String(settings.runId),
    GHR_RUN_ATTEMPT: String(settings.runAttempt),
    GHR_WORK: WORK,
    ...(settings.gpuFigures && { GHR_FIGURES: FIGURES }),
    ...(settings.probe && { GHR_PROBE: packText(settings.probe) }),
    ...(settings.setup && { GHR_SETUP: packText(settings.setup), GHR_SETUP_TIMEOUT: inSeconds(settings.setupTimeout) }),
  };
}

function inSeconds(milliseconds: number): string {
  return String(Math.ceil(milliseconds / 1000));
}

/** True for the names of variables that belong to the bootstrap, the service or the runner: no user may set them. */
export function isReservedName(name: string): boolean {
  return RESERVED_PREFIXES.some((prefix) => name.startsWith(prefix));
}
