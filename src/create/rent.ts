import type { RunnersPort } from "../github/registrations.ts";
import type {
  CreateAnswer,
  CreateOrder,
  Marketplace,
  Offer,
  Price,
  Refusal,
  Volume,
} from "../marketplace/marketplace.ts";
import type { Limits } from "../money/limits.ts";
import type { Clock } from "../shared/clock.ts";
import type { Log } from "../shared/log.ts";
import { lookAt } from "../shared/poll.ts";
import { type Fault, faultOf, UserError } from "../shared/user-error.ts";
import { makeLabel } from "./label.ts";
import { secretHider } from "./last-lines.ts";
import type { MachineRecord, Terms } from "./machine-record.ts";

/** Notes around each step that may rent, by which post finds it whatever happens to main. */
export interface LedgerPort {
  /** All runners of the n-th machine that are registered by now. */
  runners(n: number, runnerIds: readonly number[]): void;
  pending(n: number, label: string): void;
  /** `none`: the service surely created nothing. */
  created(n: number, instanceId: number | "none"): void;
  report(n: number, report: MachineRecord): void;
}

/** The inputs' demands on the instance. At least one of `image` and `templateHashId` is there. */
export interface InstanceRequirements {
  image?: string | undefined;
  /** `-u USER -p TOKEN REGISTRY`: a secret. */
  imageLogin?: string | undefined;
  templateHashId?: string | undefined;
  // Never `ssh`: with the plain word the proxy's port was seen not to be reachable.
  runtype: "ssh_proxy" | "ssh_direct";
  /** GB. */
  disk: number;
  volume?: Volume | undefined;
}

/** The image in words, for messages: a template's own is known only to the service. */
export function describeImage({ image, templateHashId }: InstanceRequirements): string {
  return image ?? `of template ${templateHashId}`;
}

/** What a session demands of each machine that it rents. */
export interface RentRequest {
  /** The label prefix of this session. */
  prefix: string;
  /** A runner is named `<runnerNamePrefix>-<n>`; a machine's further ones `…-<n>-<k>`. */
  runnerNamePrefix: string;
  instance: InstanceRequirements;
  limits: Limits;
  /** How many jobs a machine may run, one after another. */
  jobsPerMachine: number;
  /** The script, as sent. */
  onstart: string;
  /** The instance's environment. `uptimeMs`: the time until its deadline. */
  env: (machine: { jitConfigs: readonly string[]; deadline: number; uptimeMs: number }) => Record<string, string>;
}

/** The tools of renting. */
interface RentDeps {
  service: Pick<Marketplace, "create" | "list">;
  clock: Clock;
  signal: AbortSignal;
  runners: RunnersPort;
  ledger: LedgerPort;
  log: Log;
}

/** A machine that is to be rented: of which offer, and what is settled about its end and cost. */
interface Rental {
  n: number;
  offer: Offer;
  price: Price;
  searchedAt: number;
  /** Milliseconds since the epoch; the same as a length of time; and when its label expires. */
  deadline: number;
  uptimeMs: number;
  expiry: number;
  terms: Terms;
  /** Called when its runners are registered. `hide` takes the machine's secrets out of a text. */
  onRegistered: (runners: readonly { id: number; name: string }[], hide: (text: string) => string) => void;
}

/**
 * Whose fault it is that every other offer would be refused like this one. `spend-rate`: the
 * account's, for as long as it has the machines that it has.
 */
type RefusedBy = "request" | "account" | "spend-rate";

/**
 * How renting one offer ended, as plain data. `created` with `unwanted`: the marketplace made an
 * instance and refused all the same. `not-made`: nothing is known to exist; what may turn up all
 * the same carries the label. `refused`: no other offer would do. `isListed`: a list that was read
 * after it lacks it. `unregistered`: GitHub made no runner, and no create was sent.
 */
export type RentOutcome =
  | { kind: "created"; instanceId: number; report: MachineRecord; unwanted?: string }
  | { kind: "not-made"; why: "gone" | "too-fast" | "unknown"; refusal: Refusal; isListed: boolean }
  | { kind: "refused"; by: RefusedBy; refusal: Refusal; templateHash?: string; isListed: boolean }
  | { kind: "unregistered"; fault: Fault };

interface Draft {
  rental: Rental;
  order: CreateOrder;
  runners: readonly { id: number; name: string; jitConfig: string }[];
  registeredAt: number;
  askedAt: number;
  hide: (text: string) => string;
}

/** Registers one machine's runners and creates it, writing down each step before and after. */
export async function rent(deps: RentDeps, request: RentRequest, rental: Rental): Promise<RentOutcome> {
  const { clock, ledger } = deps;
  const runners = await register(deps, request, rental);
  if (runners instanceof UserError) return { kind: "unregistered", fault: faultOf(runners) };
  const registeredAt = clock.now();
  const { deadline, uptimeMs } = rental;
  const env = request.env({ jitConfigs: runners.map(({ jitConfig }) => jitConfig), deadline, uptimeMs });
  const order = orderOf(request, rental, env);
  const draft = { rental, order, runners, registeredAt, askedAt: clock.now(), hide: secretHider(env) };
  rental.onRegistered(runners, draft.hide);
  const answer = await settling(deps, (way) =>
    deps.service.create(order, {
      before: deps.signal,
      way,
      onSend: () => {
        draft.askedAt = clock.now();
        ledger.pending(rental.n, order.label);
      },
    }),
  );
  return await settle(deps, draft, hidden(answer, draft.hide));
}

/** One after the other, so that what was registered before a failure is known, and removed. */
async function register(
  { runners, ledger, signal }: RentDeps,
  { jobsPerMachine, runnerNamePrefix }: RentRequest,
  { n }: Rental,
): Promise<Draft["runners"] | UserError> {
  const registered: { id: number; name: string; jitConfig: string }[] = [];
  try {
    for (let k = 1; k <= jobsPerMachine; k += 1) {
      const name = k === 1 ? `${runnerNamePrefix}-${n}` : `${runnerNamePrefix}-${n}-${k}`;
      registered.push({ name, ...(await runners.registerRunner(name, signal)) });
      ledger.runners(
        n,
        registered.map(({ id }) => id),
      );
    }
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    for (const { id } of registered) await runners.remove(id, signal);
    return error;
  }
  return registered;
}

/** The label is in it before anything is sent: by it the instance is found, whatever is answered. */
export function orderOf(
  { instance, onstart, prefix }: Pick<RentRequest, "instance" | "onstart" | "prefix">,
  rental: Pick<Rental, "expiry" | "n" | "offer" | "price">,
  env: Record<string, string>,
): CreateOrder {
  const { image, imageLogin, templateHashId, runtype, disk, volume } = instance;
  return {
    offerId: rental.offer.id,
    label: makeLabel(prefix, rental.n, rental.expiry),
    image,
    imageLogin,
    templateHash: templateHashId,
    access: runtype,
    diskGb: disk,
    volume,
    env,
    onstart,
    bid: rental.price.bid,
  };
}

/** After a cancel, how long a create that is under way may take to answer. */
const SETTLE_MS = 5000;

/** Gives a cancelled request 5 s more, so that its outcome can be written down. */
async function settling<T>({ clock, signal }: RentDeps, send: (way: AbortSignal) => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const cut = new AbortController();
  const settled = new AbortController();
  const onAbort = () => {
    clock.sleep(SETTLE_MS, settled.signal).then(
      () => cut.abort(signal.reason),
      () => {}, // It answered in time; there is nothing left to cut.
    );
  };
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await send(cut.signal);
  } finally {
    signal.removeEventListener("abort", onAbort);
    settled.abort();
  }
}

/** A refusal may show what was sent, and what is told of it is read by others. */
function hidden(answer: CreateAnswer, hide: Draft["hide"]): CreateAnswer {
  if (answer.kind === "created") return answer;
  return { ...answer, refusal: { ...answer.refusal, sentence: hide(answer.refusal.sentence) } };
}

async function settle(deps: RentDeps, draft: Draft, answer: CreateAnswer): Promise<RentOutcome> {
  switch (answer.kind) {
    case "created":
      return record(deps, draft, answer.instanceId);
    case "unwanted":
      return { ...record(deps, draft, answer.instanceId), unwanted: answer.refusal.sentence };
    case "uncertain":
      deps.log.warning(
        `It is not known whether the instance was created: ${describeUncertain(answer.refusal)}. The action looks for it by its label.`,
      );
      return await lookForIt(deps, draft, answer.refusal);
    case "refused":
      return await notMade(deps, draft, answer.refusal);
  }
}

function describeUncertain({ code, operation, sentence, status }: Refusal): string {
  if (code === "no-answer") return `the service gave no answer to "${operation}" (${sentence})`;
  return status === undefined
    ? `its answer can't be read, as ${sentence}`
    : `the service answered ${status}, ${sentence}`;
}

function record({ clock, ledger }: RentDeps, draft: Draft, instanceId: number): RentOutcome & { kind: "created" } {
  const { askedAt, registeredAt, rental } = draft;
  const { n, searchedAt, terms } = rental;
  ledger.created(n, instanceId);
  const report: MachineRecord = {
    instanceId,
    ...terms,
    at: { searched: searchedAt, registered: registeredAt, asked: askedAt, created: clock.now() },
    last: "created",
  };
  ledger.report(n, report);
  return { kind: "created", instanceId, report };
}

/** Looks at the list after a create without an answer: a fresh instance may show late. */
const UNCERTAIN_LOOKS_MS = [0, 2000, 5000, 10_000, 20_000, 40_000];

/** Looks for an uncertain create's instance, for 40 s; after that it counts as not carried out. */
async function lookForIt(deps: RentDeps, draft: Draft, refusal: Refusal): Promise<RentOutcome> {
  const look = async () => {
    const id = await findByLabel(deps, draft.order.label);
    return typeof id === "number" ? id : undefined;
  };
  const found = await lookAt(UNCERTAIN_LOOKS_MS, look, deps);
  if (found !== undefined) return record(deps, draft, found);
  await removeRunners(deps, draft);
  return { kind: "not-made", why: "unknown", refusal, isListed: false };
}

/** Looks once; undefined: it is not listed, `unreadable`: the list could not be read. */
async function findByLabel({ service, signal }: RentDeps, label: string): Promise<number | "unreadable" | undefined> {
  try {
    return (await service.list(signal, label)).find((instance) => instance.label === label)?.id;
  } catch {
    // Whatever the service says instead of a list is no evidence; only a cancel ends the look.
    signal.throwIfAborted();
    return "unreadable";
  }
}

/** Refusals were seen to have made an instance: the list is asked before they are believed. */
async function notMade(deps: RentDeps, draft: Draft, refusal: Refusal): Promise<RentOutcome> {
  const { code } = refusal;
  const found = code === "offer-gone" ? undefined : await findByLabel(deps, draft.order.label);
  if (typeof found === "number") {
    const made = record(deps, draft, found);
    return code === "too-fast" ? made : { ...made, unwanted: refusal.sentence };
  }
  // While the list can't be read, post must go on looking for it: nothing is written down.
  if (found === undefined) deps.ledger.created(draft.rental.n, "none");
  await removeRunners(deps, draft);
  return nothingMade(draft.order, refusal, found === undefined);
}

function nothingMade({ templateHash }: CreateOrder, refusal: Refusal, isRead: boolean): RentOutcome {
  const { code } = refusal;
  const isListed = isRead && code !== "offer-gone";
  if (code === "offer-gone" || code === "too-fast") {
    const why = code === "too-fast" ? code : "gone";
    return { kind: "not-made", why: isRead ? why : "unknown", refusal, isListed };
  }
  return { kind: "refused", by: faultyPart(refusal), refusal, ...(templateHash && { templateHash }), isListed };
}

function faultyPart({ code }: Refusal): RefusedBy {
  if (code === "spend-rate") return code;
  return code === "no-credit" || code === "key" || code === "permission" ? "account" : "request";
}

/** They go, so that a machine that still turns up can't take a job. */
async function removeRunners({ runners, signal }: RentDeps, draft: Draft): Promise<void> {
  for (const { id } of draft.runners) await runners.remove(id, signal);
}
