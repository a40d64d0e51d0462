import type { IncomingMessage, ServerResponse } from "node:http";
import { z } from "zod";
import { deliver } from "../../http/deliver.ts";
import { matchPath } from "../../http/match-path.ts";
import { readBody } from "../../http/read-body.ts";
import { CONTROL_ROUTES } from "../control/control-routes.ts";
import { RUNNER_ROUTES } from "../runners/runner-routes.ts";
import type { World } from "../world.ts";
import { type Answer, json, notFound } from "./answer.ts";
import { bearer } from "./authorize.ts";
import { onWire } from "./on-wire.ts";
import type { Route, RunnerRoute, Visit } from "./route.ts";

/** Bytes: the output of a job comes as one body. */
const MOST_OF_A_LOG = 16 * 1024 * 1024;

/** One request to a path that GitHub does not have. */
export interface OwnRequest {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Answers such a request, in plain text for listeners and in JSON for all others. */
export async function serveRoute(world: World, { path, query, request, response }: OwnRequest): Promise<void> {
  const closing = new AbortController();
  response.once("close", () => closing.abort());
  const found = findRoute(request.method, path);
  const body = await readBody(request, MOST_OF_A_LOG);
  const visit = { world, params: found?.params ?? {}, query, body, closed: closing.signal };
  const answer = await answerVisit(found?.route, visit, request);
  if (!isIdlePoll(path, answer)) {
    const token = path.startsWith("/_runner/") ? "listener" : "none";
    world.note({ method: request.method ?? "", path, operation: undefined, token, status: answer.status });
  }
  if (closing.signal.aborted) return;
  deliver(response, { how: "answer", answer: onWire(answer, world.clock) }, world.clock);
}

type AnyRoute = { own: Route } | { forRunner: RunnerRoute };

function findRoute(method: string | undefined, path: string) {
  const routes: { method: string; path: string; route: AnyRoute }[] = [
    ...CONTROL_ROUTES.map((own) => ({ method: own.method, path: own.path, route: { own } })),
    ...RUNNER_ROUTES.map((forRunner) => ({ method: forRunner.method, path: forRunner.path, route: { forRunner } })),
  ];
  for (const { method: wanted, path: pattern, route } of routes) {
    const params = wanted === method ? matchPath(pattern, path) : undefined;
    if (params) return { route, params };
  }
  return undefined;
}

async function answerVisit(route: AnyRoute | undefined, visit: Visit, request: IncomingMessage): Promise<Answer> {
  if (route === undefined) return notFound();
  if ("own" in route) return answerOwn(route.own, visit);
  const path = new URL(request.url ?? "/", "http://runner").pathname;
  const runner = visit.world.runners.bySecret(bearer(request) ?? "");
  const other = visit.world.runnerAnswers.take(request.method, path);
  if (other?.drops && runner) visit.world.dispatcher.drop(runner);
  if (other?.binds && runner?.job) visit.world.dispatcher.bind(runner.job);
  if (other) return { status: other.status, body: "not now\n" };
  if (runner === undefined) return { status: 404, body: "gone\n" };
  return route.forRunner.handle({ ...visit, runner });
}

/** The caller of control paths reads a fault of the request as one sentence. */
async function answerOwn(route: Route, visit: Visit): Promise<Answer> {
  try {
    return await route.handle(visit);
  } catch (error) {
    const message = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    return json(400, { message });
  }
}

function isIdlePoll(path: string, answer: Answer): boolean {
  return path.endsWith("/message") && answer.body === "none\n";
}
