import { randomUUID } from "node:crypto";
import { limitsFor } from "../provisioning/boot-time.ts";
import { formatPrice } from "../provisioning/offer-wishes.ts";
import type { RentRequest } from "../provisioning/rent-one.ts";
import { type Candidate, searchForOffers } from "../provisioning/search.ts";
import { volumeMachine } from "../provisioning/volume-place.ts";
import { AuthenticationError, PermissionError } from "../service/service-errors.ts";
import { checkSummary, type OfferLine, offerLine } from "./check-summary.ts";
import { Checklist } from "./checklist.ts";
import type { InputValues } from "./input-schema.ts";
import { checkLabel } from "./label-in-use.ts";
import { rentRequest } from "./rent-request.ts";
import type { Rooms } from "./rooms.ts";
import type { RunContext } from "./run-context.ts";
import { tokenKind } from "./token-kind.ts";
import { volumeOf } from "./volume-inputs.ts";
import { writeSummary } from "./write-summary.ts";

/** What a check looks at. */
export interface Checking {
  rooms: Rooms;
  inputs: Readonly<InputValues>;
  run: RunContext;
  signal: AbortSignal;
  imageBytes: () => Promise<number | undefined>;
}

/**
 * `check: true`: asks all that can be asked without renting, one thing after the other whatever the others said, and shows what would be rented.
 * Throws CheckFailedError when something is wrong.
 */
export async function checkOnly(checking: Checking): Promise<void> {
  const { rooms } = checking;
  const list = new Checklist(rooms.log);
  await rooms.log.stage("Check the API key and the account", () => checkAccount(checking, list));
  await rooms.log.stage("Check the GitHub tokens", () => checkTokens(checking, list));
  const offers = await rooms.log.stage("Search offers", () => checkOffers(checking, list));
  await writeSummary(rooms.log, checkSummary(list.results, offers));
  list.throwIfAnyFailed();
}

async function checkAccount({ rooms, inputs, signal }: Checking, list: Checklist): Promise<void> {
  const least = inputs["min-credit"];
  await list.check("api-key may list instances (instance_read)", async () => {
    const instances = await rooms.service.listInstances(signal);
    return `${instances.length} instances in this account`;
  });
  await list.check("credit", async () => {
    const credit = await creditOf(rooms, signal);
    if (typeof credit === "string") return credit;
    if (credit <= 0 || credit < least)
      list.fail(`${formatPrice(credit)}, and min-credit asks for ${formatPrice(least)}`);
    return `${formatPrice(credit)}, and min-credit asks for ${formatPrice(least)}`;
  });
  // Creating and destroying are one permission, and only a real create would prove it.
  list.note("api-key may create and destroy (instance_write)", "not asked: it would take a real machine");
}

/** In USD; or why it is not known: a rental goes on without it. */
async function creditOf({ service }: Rooms, signal: AbortSignal): Promise<number | string> {
  try {
    return (await service.currentUser(signal)).credit ?? "not known: the service does not tell it";
  } catch (error) {
    if (!(error instanceof AuthenticationError || error instanceof PermissionError)) throw error;
    return "not known: api-key may not read the account (user_read)";
  }
}

async function checkTokens({ rooms, inputs, run, signal }: Checking, list: Checklist): Promise<void> {
  await list.check(`github-token (${tokenKind(inputs["github-token"])}) may register runners`, async () => {
    // Under a label that no job asks for, and removed at once.
    const name = `${run.runnerLabel}-check-${randomUUID().slice(0, 8)}`.slice(0, 64);
    const { id } = await rooms.desk.mint(name, name, signal);
    const removed = await rooms.desk.remove(id, signal);
    return `one was registered and ${removed === "removed" ? "removed" : "could not be removed"} again`;
  });
  await list.check("GitHub offers a runner program with a SHA-256", async () => {
    const { url } = await rooms.desk.download(signal);
    return url.slice(url.lastIndexOf("/") + 1);
  });
  await list.check(`job-token (${tokenKind(inputs["job-token"])}) may see the jobs of this run`, async () => {
    const jobs = await rooms.jobs.list(signal);
    return `${jobs.length} jobs`;
  });
  list.note("job-token may cancel the run (actions: write)", "not asked: it would cancel this run");
  await list.check(`the label ${run.runnerLabel} is free`, async () => {
    await checkLabel(rooms.desk, run.runnerLabel, new Set(), signal);
    return "no other runner carries it";
  });
}

async function checkOffers(checking: Checking, list: Checklist): Promise<OfferLine[]> {
  const { rooms, inputs, run, signal } = checking;
  const imageBytes = await checking.imageBytes();
  const machine = await checkVolume(checking, list);
  const use = { prefix: "", runnerNamePrefix: "", download: { url: "", sha256: "" }, imageBytes, machine };
  const request = rentRequest(inputs, run, use);
  let found: Candidate[] = [];
  await list.check("api-key may search (misc), and an offer fits", async () => {
    found = await searchForOffers({ ...rooms, signal }, request.offer, { machines: new Set(), offers: new Set() });
    return `${found.length} offers fit`;
  });
  const lines = found.map((candidate) => line(candidate, request, rooms.clock.now()));
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

function line(candidate: Candidate, request: RentRequest, now: number): OfferLine {
  const limits = limitsFor(request, candidate.offer);
  return offerLine(candidate, { limits, now, imageBytes: request.image.bytes });
}
