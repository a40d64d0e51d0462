import { EnvTooLongError, type LongInput } from "./env-too-long-error.ts";

/** Documented, not in the seed: the most characters for `env` in a create, as JSON. */
export const ENV_LIMIT = 32_768;

/** A runner configuration has about 4,100, more for long names of owner, repository, runner. */
const JIT_CHARACTERS = 4800;

/** Stands for the runner configurations made later: one for each job of a machine. */
export function jitPlaceholders(jobsPerMachine: number): string[] {
  return Array.from({ length: jobsPerMachine }, () => "x".repeat(JIT_CHARACTERS));
}

/** Returns the variables, or throws EnvTooLongError where the service would not take them. */
export function fittingEnv(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const { length } = JSON.stringify(env);
  if (length <= ENV_LIMIT) return env;
  const sizes = sizesOf(env);
  const [input, size] = Object.entries(sizes).reduce((most, next) => (next[1] > most[1] ? next : most)) as [
    LongInput,
    number,
  ];
  const left = size - (length - ENV_LIMIT);
  const allowed = input === "jobs-per-machine" ? mostJobs(env, left) : charactersLeft(left, input);
  throw new EnvTooLongError(input, allowed, { length, limit: ENV_LIMIT });
}

/** Characters of each input's variables. The first configuration is there whatever the inputs. */
function sizesOf(env: Readonly<Record<string, string>>): Record<LongInput, number> {
  const sizes = { "jobs-per-machine": 0, env: 0, setup: 0, probe: 0 };
  for (const [name, value] of Object.entries(env)) {
    const input = inputOf(name);
    // With the colon and the comma.
    if (input !== undefined) sizes[input] += JSON.stringify(name).length + JSON.stringify(value).length + 2;
  }
  return sizes;
}

function inputOf(name: string): LongInput | undefined {
  if (name.startsWith("GHR_JIT_")) return "jobs-per-machine";
  if (name === "GHR_SETUP") return "setup";
  if (name === "GHR_PROBE") return "probe";
  return name.startsWith("GHR_") ? undefined : "env";
}

function mostJobs(env: Readonly<Record<string, string>>, left: number): string {
  const further = Object.keys(env).filter((name) => inputOf(name) === "jobs-per-machine").length;
  const one = sizesOf(env)["jobs-per-machine"] / further;
  return `at most ${1 + Math.max(0, Math.floor(left / one))}`;
}

function charactersLeft(left: number, input: LongInput): string {
  const packed = input === "env" ? "" : " when packed";
  return left > 0
    ? `at most ${left} characters${packed} beside the others`
    : "none beside the others, which are too long, too";
}
