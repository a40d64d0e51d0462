import { randomUUID } from "node:crypto";
import type { FleetRequest } from "../fleet/options.ts";
import { deadlineLimits, planRental, timingOf } from "../fleet/renting/terms.ts";
import { checkLabel } from "../github/registrations.ts";
import type { Account } from "../marketplace/marketplace.ts";
import type { Estimate } from "../money/cost.ts";
import { budgetLeft } from "../money/max-cost.ts";
import { describeMonth, type Month } from "../money/month.ts";
import { formatBeside, formatPrice } from "../money/price.ts";
import { describeExpectedCost, knowledgeOf } from "../offers/expectation.ts";
import { type Candidate, describeWithoutCode } from "../offers/ranking.ts";
import { searchForOffers } from "../offers/search.ts";
import { volumeMachine } from "../offers/volume-place.ts";
import type { Session } from "../release/session.ts";
import type { StepPage } from "../report/step-page.ts";
import { oneLine, withoutMarkdown } from "../shared/foreign-text.ts";
import type { Log } from "../shared/log.ts";
import { counted, markdownTable, type Table, textTable } from "../shared/text.ts";
import { orElse, UserError } from "../shared/user-error.ts";
import { describePull, formatSize } from "../timing/boot.ts";
import { TUNING } from "../timing/tuning.ts";
import { throwIfTooLow, userOf } from "./before-renting.ts";
import type { RunHistory } from "./history.ts";
import { type AskedImage, faultOfImage, imageOf } from "./image.ts";
import { CheckFailedError, type CheckResult } from "./inputs/errors.ts";
import { maskSecret } from "./platform.ts";
import { fleetRequest, volumeOf } from "./request.ts";
import type { ResolvedInputs, ResolvedTemplate } from "./template.ts";
import { describeToken } from "./token-kinds.ts";

interface Checking {
  session: Session;
  page: StepPage;
  inputs: Readonly<ResolvedInputs>;
  signal: AbortSignal;
  image: Pick<AskedImage, "answer">;
  history: RunHistory;
  /** The outcome of looking at the template. */
  template: Pick<ResolvedTemplate, "answer" | "fault">;
}

/** Runs `check: true`: asks all that needs no renting, shows what would be rented, and throws CheckFailedError last. */
export async function checkOnly(checking: Checking): Promise<void> {
  const { session } = checking;
  const list = new Checklist(session.log);
  const credit = await session.log.stage("Check the API key and the account", () => checkAccount(checking, list));
  await session.log.stage("Check the GitHub tokens", () => checkTokens(checking, list));
  const { answer, fault } = checking.template;
  if (fault !== undefined) list.fail(TEMPLATE, fault);
  else if (answer !== undefined) list.note(TEMPLATE, answer, "ok");
  const imageBytes = await checkImage(checking, list);
  const found = { credit, imageBytes };
  const offers = await session.log.stage("Search offers", () => checkOffers(checking, found, list));
  await checking.page.summarize(checkSummary(list.results, offers));
  list.throwIfAnyFailed();
}

/** Checks key and account. Returns the credit in USD if the service shows it. */
async function checkAccount({ session, inputs, signal }: Checking, list: Checklist): Promise<number | undefined> {
  await list.check("api-key may list instances (instance_read)", async () => {
    const instances = await session.service.list(signal);
    return `${counted(instances.length, "instance")} in this account`;
  });
  const describe = (user: Account | undefined) => describeCredit(user, inputs.minCredit);
  const user = await list.check("credit", () => userOf(session, signal), describe);
  await checkPermissions(session, user, list, signal);
  return user?.creditUsd;
}

function describeCredit(user: Account | undefined, least: number): string {
  if (user === undefined) return "not known: api-key may not read the account (user_read)";
  const credit = user.creditUsd;
  if (credit === undefined) return "not known: the service does not show it";
  throwIfTooLow(credit, least);
  return `${formatBeside(credit, least)}, and min-credit asks for ${formatPrice(least)}`;
}

/** Checks that the image is in its registry. Returns its size in bytes if the registry gives it. */
async function checkImage({ image, inputs, session }: Checking, list: Checklist): Promise<number | undefined> {
  const name = imageOf(inputs);
  if (name === "") return undefined;
  const what = "the image is in its registry";
  const answer = await image.answer();
  const bytes = answer.kind === "found" ? answer.bytes : undefined;
  const fault = faultOfImage(inputs, answer);
  if (fault?.isCertain === false) session.log.warning(`${fault.says} ${fault.hint}`);
  if (fault?.isCertain) list.fail(what, { message: fault.says, hint: fault.hint });
  else if (bytes === undefined) list.note(what, "not known: the registry did not say it, the log has why");
  else list.note(what, `${name}, ${formatSize(bytes)}`, "ok");
  return bytes;
}

async function checkTokens(checking: Checking, list: Checklist): Promise<void> {
  const { session, inputs, signal } = checking;
  const { run, runners } = session;
  await list.check(`github-token (${describeToken(inputs.githubToken)}) may register runners`, async () => {
    // The label is one that no job asks for, and the runner is removed at once.
    const name = `${run.runnerLabel}-check-${randomUUID().slice(0, 8)}`.slice(0, 64);
    const { id, jitConfig } = await runners.registerRunner(name, name, signal);
    maskSecret(jitConfig);
    const removed = await runners.remove(id, signal);
    return `one was registered and ${removed === "removed" ? "removed" : "could not be removed"} again`;
  });
  await list.check("GitHub offers a runner program with a SHA-256", async () => {
    const { url } = await runners.download(signal);
    return url.slice(url.lastIndexOf("/") + 1);
  });
  const seesJobs = `job-token (${describeToken(inputs.jobToken)}) may see the jobs of this run`;
  if (inputs.hold) await list.check(seesJobs, async () => counted((await session.jobs.list(signal)).length, "job"));
  else list.note(seesJobs, "not asked: hold: false goes without it");
  list.note("job-token may cancel the run (actions: write)", "not asked: it would cancel this run");
  await list.check(`the label ${run.runnerLabel} is free`, async () => {
    await checkLabel(runners, run.runnerLabel, signal);
    return "no other runner carries it";
  });
}

async function checkOffers(
  checking: Checking,
  given: { credit: number | undefined; imageBytes: number | undefined },
  list: Checklist,
): Promise<Table> {
  const { history, inputs, session, signal } = checking;
  const volume = volumeOf(inputs);
  const findVolume = () => volumeMachine({ ...session, signal }, volume);
  const describePlace = (id: number | undefined) =>
    id === undefined ? "the service does not show where it is" : `on machine ${id}`;
  const machine = volume && (await list.check("volume-id", findVolume, describePlace));
  const askMonth = () => history.month(inputs.maxCost30d);
  const describe = (spent: Month | undefined) => `it has spent ${spent && describeMonth(spent)}`;
  const month = inputs.maxCost30d && (await list.check("this workflow may spend more in 30 days", askMonth, describe));
  const download = { url: "", sha256: "" };
  const found = { prefix: "", runnerNamePrefix: "", download, machine, month: month || undefined, ...given };
  const make = async () => fleetRequest(inputs, session.run, found);
  const request = await list.check("env, setup and probe fit into the variables of a machine", make, () => "they do");
  if (request === undefined) return [];
  list.note("the history of this workflow", await history.describe(request.image));
  return await checkSearch(checking, list, request);
}

/** Searches as the fleet would, and logs the offers that fit. Returns them as a table. */
async function checkSearch(
  { history, inputs, session, signal }: Checking,
  list: Checklist,
  request: FleetRequest,
): Promise<Table> {
  const left = budgetLeft(request, [], session.clock.now());
  const knowledge = knowledgeOf(request, [], history.known, session.clock.now());
  const offer = { ...request.offer, budget: left, knowledge };
  const search = () => searchForOffers({ ...session, signal }, offer, { hosts: [], offers: [] });
  const found = await list.check("api-key may search (misc), and an offer fits", search, (offers) => {
    const codeless = offers[0] && describeWithoutCode(offers[0]);
    if (codeless !== undefined) session.log.warning(codeless);
    return offers.length === 1 ? "1 offer fits" : `${offers.length} offers fit`;
  });
  const now = session.clock.now();
  const rows = (found ?? []).map((candidate) => {
    const limits = deadlineLimits(request.limits, timingOf(request, candidate));
    const { estimate } = planRental(now, limits, candidate, left, request.image.bytes);
    return offerRow(candidate, estimate, request.image.bytes);
  });
  const expected = `expected for a job of ${inputs.jobMinutes ?? USUAL_MINUTES} min`;
  const table = [["offer", "GPU", "host", "price per hour", "pull", expected, "at most"], ...rows];
  if (rows.length > 0)
    for (const line of textTable(table.slice(0, 1 + MOST_LOGGED_OFFERS))) session.log.info(`  ${line}`);
  return table;
}

const MOST_LOGGED_OFFERS = 12;
const USUAL_MINUTES = Math.round(TUNING.cost.priorJobMs / 60_000);

/** Makes an offer's row of the table: how long its machine would pull the image, and what it would cost. */
function offerRow({ expected, offer, price }: Candidate, estimate: Estimate, imageBytes: number | undefined): string[] {
  return [
    String(offer.id),
    `${offer.numGpus} × ${oneLine(offer.gpuName, 60)}`,
    String(offer.machineId ?? "unknown"),
    formatPrice(price.total),
    imageBytes === undefined ? "the image's size is not known" : describePull(imageBytes, offer),
    expected === undefined ? "" : describeExpectedCost(expected.cost),
    `${formatPrice(estimate.most)}, if used for all of its ${estimate.minutes} minutes`,
  ];
}

const MOST_SUMMARY_OFFERS = 20;
const SIGNS = { ok: "✅", failed: "❌", unknown: "➖" };

function checkSummary(results: readonly CheckResult[], offers: Table): string {
  const answers = results.map(({ what, state, answer }) => [SIGNS[state], ...[what, answer].map(harmless)]);
  const shown = offers.slice(0, 1 + MOST_SUMMARY_OFFERS).map((cells) => cells.map(harmless));
  return [
    "### GPU machine: check, nothing was rented",
    "",
    ...markdownTable([["", "asked", "answer"], ...answers]),
    ...(shown.length > 1 ? ["", ...markdownTable(shown)] : []),
    ...(offers.length > shown.length ? ["", `… and ${offers.length - shown.length} more.`] : []),
    "",
  ].join("\n");
}

// A function of its own, because `map` would pass the index as the second argument, which is a length.
const harmless = (cell: string) => withoutMarkdown(cell);

/** Collects the answers of a check. A check that fails does not stop the others. */
class Checklist {
  readonly results: CheckResult[] = [];
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Asks, and notes the answer in a few words. A UserError counts as the answer "no"; any other error is a bug. */
  async check<T>(what: string, ask: () => Promise<T>, inWords: (answer: T) => string = String): Promise<T | undefined> {
    let answer: T | undefined;
    try {
      answer = await ask();
      this.note(what, inWords(answer), "ok");
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      this.fail(what, error);
    }
    return answer;
  }

  /** Notes that the answer is "no", and what to do. */
  fail(what: string, { hint, message }: Pick<UserError, "hint" | "message">): void {
    this.note(what, message, "failed", hint);
  }

  /** Notes an answer: by default why something is not asked, or not known. */
  note(what: string, answer: string, state: CheckResult["state"] = "unknown", hint?: string): void {
    this.results.push({ what, state, answer, hint });
    this.#log.info(`${WORDS[state]} ${what}: ${answer}`);
  }

  throwIfAnyFailed(): void {
    const failed = this.results.filter(({ state }) => state === "failed");
    if (failed.length > 0) throw new CheckFailedError(failed);
    this.#log.info("All that can be asked without renting is well. Nothing was rented.");
  }
}

const WORDS = { ok: "ok ", failed: "NO ", unknown: "?  " };

const TEMPLATE = "the template is there";
const MAY_CREATE = "api-key may create and destroy (instance_write)";

/** Checks the key's permissions if the service shows them. Else only a real create would prove them. */
async function checkPermissions(
  { service }: Pick<Session, "service">,
  user: Account | undefined,
  list: Checklist,
  signal: AbortSignal,
): Promise<void> {
  // Best effort, because nothing depends on them.
  const ask = async () => user && (await service.keyRights(user, signal));
  const rights = await orElse(ask, () => undefined, signal);
  if (rights === undefined) return list.note(MAY_CREATE, "not asked: it would take a real machine");
  const missing = rights.missing.join(", ");
  const words = `its permissions are ${rights.permissions.join(", ") || "none"}`;
  if (missing === "") return list.note(MAY_CREATE, words, "ok");
  const hint = `Give the key ${missing}, or make one that has it; the README lists what it needs.`;
  list.fail(MAY_CREATE, { message: `${words}; ${missing} is missing`, hint });
}
