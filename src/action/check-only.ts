import { randomUUID } from "node:crypto";
import type { FleetRequest } from "../fleet/state/fleet-request.ts";
import { budgetLeft, deadlineLimits, planRental, timingOf } from "../fleet/state/rental.ts";
import { knowledgeOf } from "../market/expectation.ts";
import { NO_HISTORY } from "../market/history.ts";
import { type Candidate, searchForOffers } from "../market/search.ts";
import { volumeMachine } from "../market/volume-place.ts";
import { AuthenticationError, PermissionError } from "../marketplace/errors.ts";
import type { Account } from "../marketplace/marketplace.ts";
import { formatBeside, formatPrice } from "../money/price.ts";
import { writeSummary } from "../report/write-summary.ts";
import { counted } from "../shared/counted.ts";
import { checkPermissions } from "./check-permissions.ts";
import { checkSummary, type OfferLine, offerLine } from "./check-summary.ts";
import { Checklist } from "./checklist.ts";
import type { Clients } from "./clients.ts";
import { fleetRequest } from "./fleet-request.ts";
import { checkLabel } from "./label-in-use.ts";
import { noteEnd } from "./main-end.ts";
import type { RunContext } from "./run-context.ts";
import { maskSecret } from "./secrets.ts";
import type { ResolvedInputs, ResolvedTemplate } from "./template-of-inputs.ts";
import { tokenKind } from "./token-kind.ts";
import { volumeOf } from "./volume-inputs.ts";

/** The things that a check looks at. */
export interface Checking {
  rooms: Clients;
  inputs: Readonly<ResolvedInputs>;
  run: RunContext;
  signal: AbortSignal;
  imageBytes: () => Promise<number | undefined>;
  /** The outcome of looking at the template. */
  template: Pick<ResolvedTemplate, "answer" | "fault">;
}

/**
 * `check: true`: asks all that can be asked without renting, whatever the other answers were, and
 * shows what would be rented. Throws CheckFailedError when something is wrong.
 */
export async function checkOnly(checking: Checking): Promise<void> {
  const { rooms } = checking;
  const list = new Checklist(rooms.log);
  await rooms.log.stage("Check the API key and the account", () => checkAccount(checking, list));
  await rooms.log.stage("Check the GitHub tokens", () => checkTokens(checking, list));
  await checkTemplate(checking.template, list);
  const offers = await rooms.log.stage("Search offers", () => checkOffers(checking, list));
  await writeSummary(rooms.log, checkSummary(list.results, offers));
  list.throwIfAnyFailed();
  noteEnd({ kind: "checked" });
}

async function checkAccount({ rooms, inputs, signal }: Checking, list: Checklist): Promise<void> {
  const least = inputs["min-credit"];
  let user: Account | undefined;
  await list.check("api-key may list instances (instance_read)", async () => {
    const instances = await rooms.service.list(signal);
    return `${counted(instances.length, "instance")} in this account`;
  });
  await list.check("credit", async () => {
    user = await userOf(rooms, signal);
    return describeCredit(user, least, list);
  });
  await checkPermissions(rooms, user, list, signal);
}

function describeCredit(user: Account | undefined, least: number, list: Checklist): string {
  if (user === undefined) return "not known: api-key may not read the account (user_read)";
  const credit = user.creditUsd;
  if (credit === undefined) return "not known: the service does not tell it";
  const [has, asks] = [formatBeside(credit, least), formatPrice(least)];
  const remedy = "Add credit to the service's account";
  if (credit <= 0) list.fail(`${has}: the service rents nothing without credit`, `${remedy}.`);
  if (credit < least) list.fail(`${has}, and min-credit asks for ${asks}`, `${remedy}, or lower min-credit.`);
  return `${has}, and min-credit asks for ${asks}`;
}

/** The account; undefined where the key may not read it: a rental goes on without it. */
export async function userOf({ service }: Clients, signal: AbortSignal): Promise<Account | undefined> {
  try {
    return await service.account(signal);
  } catch (error) {
    if (!(error instanceof AuthenticationError || error instanceof PermissionError)) throw error;
    return undefined;
  }
}

async function checkTemplate({ answer, fault }: Checking["template"], list: Checklist): Promise<void> {
  if (answer === undefined && fault === undefined) return;
  await list.check("the template is there", async () => {
    if (fault !== undefined) throw fault;
    return answer ?? "";
  });
}

async function checkTokens(checking: Checking, list: Checklist): Promise<void> {
  const { rooms, inputs, run, signal } = checking;
  await list.check(`github-token (${tokenKind(inputs["github-token"])}) may register runners`, async () => {
    // Under a label that no job asks for, and removed at once.
    const name = `${run.runnerLabel}-check-${randomUUID().slice(0, 8)}`.slice(0, 64);
    const { id, jitConfig } = await rooms.runners.registerRunner(name, name, signal);
    maskSecret(jitConfig);
    const removed = await rooms.runners.remove(id, signal);
    return `one was registered and ${removed === "removed" ? "removed" : "could not be removed"} again`;
  });
  await list.check("GitHub offers a runner program with a SHA-256", async () => {
    const { url } = await rooms.runners.download(signal);
    return url.slice(url.lastIndexOf("/") + 1);
  });
  await checkJobs(checking, list);
  list.note("job-token may cancel the run (actions: write)", "not asked: it would cancel this run");
  await list.check(`the label ${run.runnerLabel} is free`, async () => {
    await checkLabel(rooms.runners, run.runnerLabel, signal);
    return "no other runner carries it";
  });
}

async function checkJobs({ rooms, inputs, signal }: Checking, list: Checklist): Promise<void> {
  const what = `job-token (${tokenKind(inputs["job-token"])}) may see the jobs of this run`;
  if (!inputs.hold) return list.note(what, "not asked: hold: false goes without it");
  await list.check(what, async () => counted((await rooms.jobs.list(signal)).length, "job"));
}

async function checkOffers(checking: Checking, list: Checklist): Promise<OfferLine[]> {
  const { inputs, run } = checking;
  const imageBytes = await checking.imageBytes();
  const machine = await checkVolume(checking, list);
  const use = { prefix: "", runnerNamePrefix: "", download: { url: "", sha256: "" }, imageBytes, machine };
  let request: FleetRequest | undefined;
  await list.check("env, setup and probe fit into the variables of a machine", async () => {
    request = fleetRequest(inputs, run, use);
    return "they do";
  });
  return request === undefined ? [] : await checkSearch(checking, list, request);
}

async function checkSearch({ rooms, signal }: Checking, list: Checklist, request: FleetRequest): Promise<OfferLine[]> {
  const imageBytes = request.image.bytes;
  const left = budgetLeft(request, [], rooms.clock.now());
  let found: Candidate[] = [];
  await list.check("api-key may search (misc), and an offer fits", async () => {
    const knowledge = knowledgeOf(request, [], { known: NO_HISTORY, isKept: false }, rooms.clock.now());
    const offer = { ...request.offer, budget: left, knowledge };
    found = await searchForOffers({ ...rooms, signal }, offer, { machines: [], offers: [] });
    return found.length === 1 ? "1 offer fits" : `${found.length} offers fit`;
  });
  const now = rooms.clock.now();
  const lines = found.map((candidate) => {
    const limits = deadlineLimits(request.limits, timingOf(request, candidate));
    return offerLine(candidate, planRental(now, limits, candidate, left, imageBytes), imageBytes);
  });
  for (const { text } of lines.slice(0, MOST_LINES)) rooms.log.info(text);
  return lines;
}

/** The volume's machine, if there is a volume and the service tells it. */
async function checkVolume({ rooms, inputs, signal }: Checking, list: Checklist): Promise<number | undefined> {
  const volume = volumeOf(inputs);
  let machine: number | undefined;
  if (volume === undefined) return undefined;
  await list.check("volume-id", async () => {
    machine = await volumeMachine({ ...rooms, signal }, volume);
    return machine === undefined ? "the service does not tell where it is" : `on machine ${machine}`;
  });
  return machine;
}

const MOST_LINES = 12;
