import { type SimClock, scaledClock } from "../../../simulator/clock/sim-clock.ts";
import { type GithubOptions, type GithubStandIn, startGithub } from "../../../simulator/github/start-github.ts";
import { AttachedRunner } from "./attached-runner.ts";
import { type HandClock, handClock } from "./hand-clock.ts";

/** The path of the repository that exists in every test. */
export const REPOSITORY = "/repos/octo/gpu-lib";

/** An answer of the stand-in, its JSON read. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of any form.
  readonly body: any;
}

/** A request's parts; the token is the runner token by default, none at all when null. */
export interface Asking {
  readonly method?: string;
  readonly token?: string | null;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

/** Starts a stand-in on this clock, or on one that is so many times as fast. */
export function startOn(clock: number | SimClock, options: Partial<GithubOptions> = {}): Promise<GithubStandIn> {
  return startGithub({ clock: typeof clock === "number" ? scaledClock(clock) : clock, ...options });
}

/** A hand-wound clock on which the stand-in does not sleep before each answer. */
export function githubClock(): HandClock {
  const hand = handClock();
  return { ...hand, sleep: async (ms, signal) => (ms > 0 ? hand.sleep(ms, signal) : undefined) };
}

/** Asks the API. */
export async function ask(github: GithubStandIn, path: string, asking: Asking = {}): Promise<Answered> {
  const { method = "GET", token = github.runnerToken, body, headers = {} } = asking;
  const response = await fetch(`${github.url}${path}`, {
    method,
    headers: { ...(token === null ? {} : { authorization: `Bearer ${token}` }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) };
}

/** Registers a runner, as an action would. */
export function register(github: GithubStandIn, name = "runner-1", labels = ["gpu-1"]): Promise<Answered> {
  const body = { name, labels, runner_group_id: 1 };
  return ask(github, `${REPOSITORY}/actions/runners/generate-jitconfig`, { method: "POST", body });
}

/** Registers a runner, and connects a listener by hand. */
export async function attach(github: GithubStandIn, name?: string, labels?: string[]) {
  const { runner, encoded_jit_config } = (await register(github, name, labels)).body;
  const listener = new AttachedRunner(github, encoded_jit_config);
  await listener.connect();
  return { id: runner.id as number, listener };
}
