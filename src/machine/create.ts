import type { RunnersPort } from "../github/registrations.ts";
import type { CreateAnswer, InstanceRequirements, Marketplace, Offer, Refusal } from "../marketplace/marketplace.ts";
import type { Clock } from "../shared/clock.ts";
import type { Log } from "../shared/log.ts";
import { type Fault, faultOf, UserError } from "../shared/user-error.ts";
import type { Limits } from "../timing/limits.ts";
import { StateNotSavedError } from "./errors.ts";
import { makeLabel } from "./label.ts";
import { secretHider } from "./log.ts";
import type { MachineRecord, MachineTerms, StageTimes } from "./record.ts";

/** Writes entries around each step that may rent. By them post finds the instance, whatever happens to main. */
export interface LedgerPort {
  /** Writes down all runners of a machine that are registered by now. */
  runners(machineNo: number, runnerIds: readonly number[]): void;
  /** Writes down, right before a create is sent, the label that it makes. */
  pending(machineNo: number, label: string): void;
  /** Writes down what a create made. `none`: surely nothing. `isClaimed`: only its label proves it. */
  created(machineNo: number, instanceId: number | "none", isClaimed?: boolean): void;
  report(machineNo: number, report: MachineRecord): void;
}

/** What a session demands of each machine that it rents. */
export interface RentRequest {
  /** The label prefix of this session. */
  prefix: string;
  /** A runner is named `<runnerNamePrefix>-<machineNo>`; a machine's further ones `…-<machineNo>-<k>`. */
  runnerNamePrefix: string;
  instance: InstanceRequirements;
  limits: Limits;
  /** How many jobs a machine may run, one after another. */
  jobsPerMachine: number;
  /** The machine's script as it is sent. */
  onstart: string;
  /** The instance's environment. `uptimeMs`: the time until its deadline. */
  env: (machine: { jitConfigs: readonly string[]; deadline: number; uptimeMs: number }) => Record<string, string>;
}

interface RentDeps {
  service: Pick<Marketplace, "create">;
  clock: Clock;
  signal: AbortSignal;
  runners: RunnersPort;
  ledger: LedgerPort;
  log: Log;
}

/** A machine to rent: by which offer, and with which end and cost. */
interface MachineToRent {
  /** The number of the create within the session. */
  machineNo: number;
  offer: Offer;
  price: Offer["price"];
  searchedAt: number;
  /** The deadline and the label's end by the marketplace's clock, and the time from now to the deadline. */
  deadlineThere: number;
  uptimeMs: number;
  expiry: number;
  terms: MachineTerms;
  /** Called when the machine's runners are registered. `hide` takes its secrets out of a text. */
  onRegistered: (runners: readonly { id: number; name: string }[], hide: (text: string) => string) => void;
}

/**
 * What renting one offer came to. `created` with `unwanted`: made, and refused all the same. `refused`, `uncertain`:
 * what it may have made carries the label, and keeps its runners until lists show it. `unregistered`: no create was
 * sent.
 */
export type RentOutcome =
  | { kind: "created"; instanceId: number; report: MachineRecord; unwanted?: string }
  | { kind: "refused"; refusal: Refusal }
  | { kind: "uncertain"; sentence: string }
  | { kind: "unregistered"; fault: Fault };

/** Registers one machine's runners and creates it, writing down each step before and after. */
export async function rent(deps: RentDeps, request: RentRequest, machine: MachineToRent): Promise<RentOutcome> {
  const { clock, ledger, service, signal } = deps;
  const runners = await register(deps, request, machine);
  if (runners instanceof UserError) return { kind: "unregistered", fault: faultOf(runners) };
  const at = { searched: machine.searchedAt, registered: clock.now(), asked: clock.now() };
  const { deadlineThere: deadline, uptimeMs } = machine;
  const env = request.env({ jitConfigs: runners.map(({ jitConfig }) => jitConfig), deadline, uptimeMs });
  const order = instanceOrder(request, machine, env);
  const hide = secretHider(env);
  machine.onRegistered(runners, hide);
  const onSend = () => {
    at.asked = clock.now();
    ledger.pending(machine.machineNo, order.label);
  };
  let answer: CreateAnswer;
  try {
    answer = await settling(deps, (way) => service.create(order, { before: signal, way, onSend }));
  } catch (error) {
    // What could not be written down was not sent.
    if (!(error instanceof StateNotSavedError)) throw error;
    return { kind: "unregistered", fault: faultOf(error) };
  }
  return rentOutcome(deps, machine, at, hidden(answer, hide));
}

/** Registers a machine's runners in turn, so that after a failure the earlier ones can be removed. */
async function register(
  { runners, ledger, signal }: RentDeps,
  { jobsPerMachine, runnerNamePrefix }: RentRequest,
  { machineNo }: MachineToRent,
) {
  const registered: { id: number; name: string; jitConfig: string }[] = [];
  try {
    for (let k = 1; k <= jobsPerMachine; k += 1) {
      const name = k === 1 ? `${runnerNamePrefix}-${machineNo}` : `${runnerNamePrefix}-${machineNo}-${k}`;
      registered.push({ name, ...(await runners.registerRunner(name, signal)) });
      const ids = registered.map(({ id }) => id);
      ledger.runners(machineNo, ids);
    }
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    for (const { id } of registered) await runners.remove(id, signal);
    return error;
  }
  return registered;
}

/** Makes the order of a create, with the label by which the instance is found whatever the service answers. */
export function instanceOrder(
  { instance, onstart, prefix }: Pick<RentRequest, "instance" | "onstart" | "prefix">,
  { expiry, machineNo, offer, price }: Pick<MachineToRent, "expiry" | "machineNo" | "offer" | "price">,
  env: Record<string, string>,
) {
  const label = makeLabel(prefix, machineNo, expiry);
  return { ...instance, offerId: offer.id, label, env, onstart, bid: price.bid };
}

/** How long a create that is under way may take to answer after a cancel. */
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

/** Hides secrets in a refusal, because its text may repeat what was sent. */
function hidden(answer: CreateAnswer, hide: (text: string) => string): CreateAnswer {
  if (answer.kind === "created") return answer;
  return { ...answer, refusal: { ...answer.refusal, sentence: hide(answer.refusal.sentence) } };
}

/** Records an instance that the create's own answer named. Only such an answer settles a create for post. */
function rentOutcome(
  { clock, ledger, log }: RentDeps,
  { machineNo, terms }: MachineToRent,
  at: StageTimes,
  answer: CreateAnswer,
): RentOutcome {
  if (answer.kind === "refused") return answer;
  if (answer.kind === "uncertain") {
    log.warning(
      `It is not known whether the instance was created: ${describeUncertain(answer.refusal)}. The action looks for it by its label.`,
    );
    return { kind: "uncertain", sentence: answer.refusal.sentence };
  }
  const { instanceId } = answer;
  ledger.created(machineNo, instanceId, answer.kind === "unwanted");
  const report: MachineRecord = { instanceId, ...terms, at: { ...at, created: clock.now() }, last: "created" };
  ledger.report(machineNo, report);
  const unwanted = answer.kind === "unwanted" && { unwanted: answer.refusal.sentence };
  return { kind: "created", instanceId, report, ...unwanted };
}

function describeUncertain({ code, operation, sentence, status }: Refusal): string {
  if (code === "no-answer") return `Vast.ai gave no answer to "${operation}" (${sentence})`;
  return status === undefined ? `its answer can't be read, as ${sentence}` : `Vast.ai answered ${status}, ${sentence}`;
}

/** How late lists may show the instance of a create that got no answer. SPEC-SILENT: how late one may show. */
export const TURNS_UP_WITHIN_MS = 40_000;
