import type { IncomingMessage } from "node:http";
import { answerControl, CONTROL_PREFIX } from "../../http/control.ts";
import type { Answer } from "../../http/deliver.ts";
import { underFaults } from "../../http/faults.ts";
import { findRow } from "../../http/match-path.ts";
import { parseJson, readBody } from "../../http/read-body.ts";
import type { Exchange } from "../../http/serve-http.ts";
import { CONTROL_ROUTES, FILE_ROUTES } from "../control.ts";
import type { Fault } from "../faults.ts";
import { OPERATION_NAMES, OPERATIONS, type OperationName } from "../operation-name.ts";
import { HOME_OPERATIONS } from "../operations/runners.ts";
import { REPOSITORY_OPERATIONS } from "../operations/runs.ts";
import { RUNNER_ROUTES } from "../runners/runner-channel.ts";
import { APP_ROUTES } from "../setup/app-routes.ts";
import { REPOSITORY_ROUTES } from "../setup/repository-routes.ts";
import { SECRET_ROUTES } from "../setup/secret-routes.ts";
import type { World } from "../world.ts";
import { conditional, notFound, refusal } from "./answer.ts";
import { authorize, bearer, rateHeaders, send } from "./on-wire.ts";
import type { SetupRoute, Visit } from "./route.ts";

const ROUTES_OF_PEOPLE: readonly SetupRoute[] = [...REPOSITORY_ROUTES, ...SECRET_ROUTES, ...APP_ROUTES];
const API_ROWS = OPERATION_NAMES.map((name) => ({ name, ...OPERATIONS[name] }));

/** GitHub Enterprise Server has its API there; the stand-in answers at both places. */
const ENTERPRISE_PREFIX = "/api/v3";
/** Bytes: the output of a job comes as one body. */
const MOST_OF_A_LOG = 16 * 1024 * 1024;

/** Answers a request: to a path that GitHub does not have, of a set-up, or to GitHub's API. */
export async function serve(world: World, { request, response, url, closing }: Exchange): Promise<void> {
  const { pathname, searchParams: query } = url;
  const isOwn = pathname.startsWith("/_");
  const prefix = pathname.startsWith(`${ENTERPRISE_PREFIX}/`) ? ENTERPRISE_PREFIX : "";
  // Links lead to where the caller looked for GitHub, which need not be this address.
  const { host = new URL(world.url).host } = request.headers;
  const closed = new AbortController();
  response.once("close", () => closed.abort());
  const visit: Visit = {
    world,
    method: request.method ?? "",
    path: pathname.slice(prefix.length),
    params: {},
    query,
    body: isOwn ? await readBody(request, MOST_OF_A_LOG) : await readBody(request),
    api: `http://${host}${prefix}`,
    bearer: bearer(request),
    closed: closed.signal,
  };
  const answer = isOwn ? await visitOwn(visit) : await visitSetup(visit);
  if (answer === undefined) return serveOperation(visit, { request, response, closing });
  if (!closed.signal.aborted) send(response, { how: "answer", answer }, world.clock);
}

/** Answers at a path that GitHub does not have, in plain text for listeners and in JSON for all others. */
async function visitOwn(visit: Visit): Promise<Answer> {
  const { world, method, path } = visit;
  const isListener = path.startsWith("/_runner/");
  const answer = await (isListener ? visitAsListener(visit) : visitBehind(visit));
  const isIdlePoll = path.endsWith("/message") && answer.text === "none\n";
  const token = isListener ? "listener" : "none";
  if (!isIdlePoll) world.note({ method, path, operation: undefined, token, status: answer.status });
  return answer;
}

function visitBehind(visit: Visit): Answer | Promise<Answer> {
  if (visit.path.startsWith(CONTROL_PREFIX)) return answerControl(CONTROL_ROUTES, visit.world, visit);
  const found = findRow(FILE_ROUTES, visit);
  return found ? found.row.handle({ ...visit, params: found.params }) : notFound();
}

async function visitAsListener(visit: Visit): Promise<Answer> {
  const { world } = visit;
  const found = findRow(RUNNER_ROUTES, visit);
  if (!found) return notFound();
  const runner = world.runners.bySecret(visit.bearer ?? "");
  const other = world.runnerAnswers.find(({ request }) => request === found.row.request);
  if (other?.binds && runner?.job) world.dispatcher.bind(runner.job);
  if (other) return { status: other.status, text: "not now\n" };
  if (runner === undefined) return { status: 404, text: "gone\n" };
  return found.row.handle({ ...visit, params: found.params, runner });
}

/** Answers a request of a set-up; undefined where it is none. */
async function visitSetup(visit: Visit): Promise<Answer | undefined> {
  const { world, method, path } = visit;
  const person = world.setup.people.get(visit.bearer ?? "");
  const found = findRow(person ? ROUTES_OF_PEOPLE : APP_ROUTES, visit);
  if (!found) return undefined;
  const answer = await found.row.handle({ ...visit, params: found.params, person });
  world.note({ method, path, operation: found.row.at, token: person?.login ?? "setup", status: answer.status });
  return answer;
}

/** Answers a request to GitHub's API: faults, then who asks, the operation, and what it costs. */
async function serveOperation(visit: Visit, { request, response, closing }: Omit<Exchange, "url">): Promise<void> {
  const { world, method, path, query, body } = visit;
  const { clock } = world;
  const found = findRow(API_ROWS, visit);
  const faults = found ? world.faults.take(found.row.name) : [];
  const asked = { ...visit, params: found?.params ?? {} };
  // Where a fault answers, nobody looks at the token.
  let account = world.tokens.get(visit.bearer ?? "");
  const delivery = await underFaults(faults, {
    ...{ clock, closing, textType: "text/html" },
    refusal: (status) => refusal(status, "Fault of the test").body,
    perform() {
      const carried = answerTo(asked, request, found?.row, faults);
      account = carried.account;
      return carried.answer;
    },
  });
  const fault = faults.find(({ kind }) => kind !== "delay");
  world.note({
    ...{ method, path: query.size > 0 ? `${path}?${query}` : path, operation: found?.row.name },
    token: account?.name ?? (request.headers.authorization === undefined ? "none" : "unknown"),
    status: "answer" in delivery ? delivery.answer.status : "no answer",
    ...(fault !== undefined && { fault: fault.kind }),
    ...(body !== "" && { request: parseJson(body) }),
  });
  send(response, delivery, clock);
}

type Row = (typeof API_ROWS)[number];

function answerTo(visit: Visit, request: IncomingMessage, row: Row | undefined, faults: readonly Fault[]) {
  if (row === undefined) return { answer: notFound(), account: undefined };
  const { world } = visit;
  const { account, refused } = authorize(world, row, request);
  const fresh = refused ?? carryOut(visit, row.name);
  const isRead = visit.method === "GET";
  const answer = isRead ? conditional(world.lastAnswer(visit, fresh, faults), request.headers["if-none-match"]) : fresh;
  if (account === undefined) return { answer, account };
  // A conditional request that is answered 304 does not count.
  if (answer.status !== 304) account.counted += 1;
  return { answer: { ...answer, headers: { ...rateHeaders(account, world.clock), ...answer.headers } }, account };
}

function carryOut(visit: Visit, name: OperationName): Answer {
  const { world, params, body } = visit;
  const read = body === "" ? undefined : parseJson(body);
  if (body !== "" && read === undefined) return refusal(400, "Problems parsing JSON");
  const { owner, repo, org } = params;
  const repository = world.repositories.find(`${owner}/${repo}`);
  const home = org !== undefined && world.repositories.hasOwner(org) ? org : repository?.fullName;
  if (home === undefined) return notFound();
  const call = { ...visit, json: read, home: home.toLowerCase() };
  const ofHome = HOME_OPERATIONS[name];
  if (ofHome) return ofHome(call);
  return (repository && REPOSITORY_OPERATIONS[name]?.({ ...call, repository })) ?? notFound();
}

/** Answers a request over which the stand-in itself stumbled. */
export function sayThatItFailed({ clock }: World, fault: unknown, { response }: Exchange): void {
  if (!response.headersSent) send(response, { how: "answer", answer: refusal(500, String(fault)) }, clock);
}
