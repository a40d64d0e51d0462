import { z } from "zod";
import { openGithub, type RunContext } from "../github/github.ts";
import { Registrations } from "../github/registrations.ts";
import { drawSessionId } from "../machine/label.ts";
import type { Marketplace } from "../marketplace/marketplace.ts";
import { ServiceClient } from "../marketplace/vast/service-client.ts";
import { VastMarketplace } from "../marketplace/vast/vast-marketplace.ts";
import type { Session } from "../release/session.ts";
import { type Clock, systemClock } from "../shared/clock.ts";
import type { Log } from "../shared/log.ts";
import { readProxy } from "../shared/proxy.ts";
import { PlatformError } from "./inputs/errors.ts";
import type { ActionInputs } from "./inputs/read.ts";
import type { InputValues } from "./inputs/schema.ts";
import { actionsLog, maskSecret } from "./platform.ts";

const wholeNumber = z.coerce.number().int().positive();
const schema = z.object({
  GITHUB_REPOSITORY: z.string().regex(/^[^/\s]+\/[^/\s]+$/),
  GITHUB_RUN_ID: wholeNumber,
  GITHUB_RUN_ATTEMPT: z.preprocess((value) => value || "1", wholeNumber),
  GITHUB_JOB: z.string().min(1),
  GITHUB_REPOSITORY_ID: z.preprocess((value) => value || undefined, wholeNumber.optional()),
  GITHUB_API_URL: z.preprocess((value) => value || "https://api.github.com", z.url()),
  GITHUB_SERVER_URL: z.preprocess((value) => value || "https://github.com", z.url()),
  GITHUB_WORKFLOW_REF: z.string().default(""),
  RUNNER_NAME: z.string().optional(),
});

/** Reads the platform's variables. `name`: the input; empty for none. Throws PlatformError if one is missing. */
export function readRunContext(name = ""): RunContext {
  const read = schema.safeParse(process.env);
  if (!read.success) throw new PlatformError([...new Set(read.error.issues.map((issue) => String(issue.path[0])))]);
  const env = read.data;
  const [owner = "", repo = ""] = env.GITHUB_REPOSITORY.split("/");
  return {
    owner,
    repo,
    repositoryId: env.GITHUB_REPOSITORY_ID,
    runId: env.GITHUB_RUN_ID,
    attempt: env.GITHUB_RUN_ATTEMPT,
    jobName: env.GITHUB_JOB,
    workflow: workflowOf(env.GITHUB_WORKFLOW_REF, env.GITHUB_REPOSITORY),
    runnerName: env.RUNNER_NAME || undefined,
    apiUrl: env.GITHUB_API_URL,
    serverUrl: env.GITHUB_SERVER_URL,
    runnerLabel: ["gpu", env.GITHUB_RUN_ID, env.GITHUB_RUN_ATTEMPT, ...(name ? [name] : [])].join("-"),
  };
}

/** Reads the path of the workflow's file, which another repository may have where an organisation requires it. */
function workflowOf(ref: string, repository: string): string | undefined {
  const { path, owner } = /^(?<owner>[^/]+\/[^/]+)\/(?<path>\.github\/workflows\/[^/@]+)@/.exec(ref)?.groups ?? {};
  return owner?.toLowerCase() === repository.toLowerCase() ? path : undefined;
}

/** The rental service, opened with this step's key, and what goes with it. */
export interface ServiceClients extends AsyncDisposable {
  service: Marketplace;
  clock: Clock;
  log: Log;
}

/** Opens the service, and asks nothing yet. `until`: when every wait ends, in ms since the epoch. */
export function openService(
  { apiKey, apiUrl }: Pick<InputValues, "apiKey" | "apiUrl">,
  until?: number,
): ServiceClients {
  const clock = systemClock;
  const proxy = readProxy(process.env);
  const client = new ServiceClient({ baseUrl: apiUrl, apiKey, clock, mask: maskSecret, until, proxy });
  const service = new VastMarketplace(client);
  return { service, clock, log: actionsLog, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

/** Opens the session, under the `id` that main drew, even if inputs are wrong, as a slip must leave no job waiting. Throws PlatformError. */
export function openSession(
  given: ActionInputs,
  clients: ServiceClients,
  { id = drawSessionId(), until }: { id?: string | undefined; until?: number } = {},
): Session {
  const { clock, log, service } = clients;
  const inputs = given.lenient;
  const run = readRunContext(inputs.name);
  const scope = { kind: inputs.runnerScope, groupId: inputs.runnerGroupId };
  const github = openGithub({ ...inputs, scope }, run, { clock, until, proxy: readProxy(process.env) });
  const runnerNamePrefix = `${run.runnerLabel}-${id}`;
  const registering = { runners: github.runners, clock, log, mask: maskSecret };
  return {
    ...github,
    id,
    runnerNamePrefix,
    run,
    inputs: { ...inputs, knowsLabel: given.isGood("name") },
    clock,
    log,
    service,
    registrations: new Registrations(registering, run.runnerLabel, `${runnerNamePrefix}-`),
  };
}
