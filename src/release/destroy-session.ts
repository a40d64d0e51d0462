import type { ListedRunner } from "../github/runners.ts";
import { UNCERTAIN_LOOKS_MS } from "../machine/create.ts";
import { hasPrefix } from "../machine/label.ts";
import type { MachineRecord } from "../machine/record.ts";
import type { Instance } from "../marketplace/marketplace.ts";
import { withRetry } from "../shared/retry.ts";
import { UserError } from "../shared/user-error.ts";
import { type Destroying, type Doomed, destroyInstance } from "./destroy.ts";
import { InstanceNotDestroyedError } from "./errors.ts";
import type { Ledger } from "./ledger.ts";
import type { Session } from "./session.ts";

/** What of a session may still be rented. */
export interface SessionRemains {
  prefix: string;
  /** Instances that are known to have been created, and not to be gone: the most urgent first. */
  known: readonly Doomed[];
  /** True if no answer said what a create made: an instance, or a further one, may still turn up. */
  isUncertain: boolean;
}

/** When each instance may be destroyed; an instance that is not named may be at once. */
export type Releases = ReadonlyMap<number, Promise<void>>;

/** What became of a session's instances. `undestroyed` names in words all that may still bill. */
export interface SessionDestroyed {
  /** Instances that were still there and are gone now; not those that had given themselves back. */
  destroyed: readonly number[];
  undestroyed: readonly string[];
  /**
   * When each instance was seen to be gone, in milliseconds since the epoch, those included that
   * had given themselves back.
   */
  goneAt: ReadonlyMap<number, number>;
  /** The instances that the lists showed, in order: their figures are newer than main's. */
  shown: readonly Instance[];
}

/** Between looks at the list: while destructions run, and when they are over and some are left. */
const LOOK_PAUSE_MS = { running: 15_000, over: 5000 } as const;

/**
 * Destroys every instance of a session, until a look finds none: the known ones first, in their
 * order, and all others that carry the prefix. After an uncertain create it looks for 40 s, because
 * a fresh instance may be listed late. An instance with a release is destroyed after its release.
 */
export async function destroySession(
  destroying: Destroying,
  remains: SessionRemains,
  releases: Releases = new Map(),
): Promise<SessionDestroyed> {
  const destructions = new Destructions(destroying, releases);
  for (const doomed of remains.known) destructions.start(doomed);
  const listed = await lookUntilClean(destroying, remains, destructions);
  const { destroyed, undestroyed, goneAt } = await destructions.outcome();
  const isNamed = undestroyed.length > 0 && listed !== "unknown";
  if (listed !== "clean" && !isNamed) undestroyed.push(`whatever is labelled ${remains.prefix}.…`);
  return { destroyed, undestroyed, goneAt, shown: destructions.shown };
}

/** The last look at the list; `unknown`: it could not be read. */
type Listed = "clean" | "some" | "unknown";

async function lookUntilClean(
  destroying: Destroying,
  { prefix, isUncertain }: SessionRemains,
  destructions: Destructions,
): Promise<Listed> {
  const { clock, until } = destroying;
  const start = clock.now();
  const moments = (isUncertain ? UNCERTAIN_LOOKS_MS : [0]).map((moment) => start + moment);
  for (moments.shift(); ; moments.shift()) {
    const listed = await listAndDestroy(destroying, prefix, destructions);
    const isSettled = moments.length === 0;
    if (isSettled && listed === "clean") return listed;
    if (clock.now() >= until) return isSettled ? listed : "unknown";
    await destructions.pause(moments[0]);
  }
}

async function listAndDestroy(destroying: Destroying, prefix: string, destructions: Destructions): Promise<Listed> {
  const ours = await listOurs(destroying, prefix);
  if (ours === undefined) return "unknown";
  for (const { id } of ours) destructions.start({ id, createdAt: undefined, wasListed: true });
  destructions.shown.push(...ours);
  return ours.length === 0 && destructions.areOver ? "clean" : "some";
}

interface Destruction {
  doomed: Doomed;
  state: "running" | "destroyed" | "was-gone" | "refused";
  end: Promise<void>;
  goneAt?: number;
}

/** Runs one destruction for each instance, side by side: a stubborn one delays neither the others nor the looks. */
class Destructions {
  readonly #destroying: Destroying;
  readonly #all = new Map<number, Destruction>();
  readonly #releases: Releases;
  readonly shown: Instance[] = [];

  constructor(destroying: Destroying, releases: Releases) {
    this.#destroying = destroying;
    this.#releases = releases;
  }

  /**
   * Starts to destroy an instance; again if it counted as gone and is listed after all, as two
   * answers may differ.
   */
  start(doomed: Doomed): void {
    const before = this.#all.get(doomed.id);
    if (before !== undefined && !this.#isShownTooLong(before)) return;
    const destruction: Destruction = { doomed, state: "running", end: Promise.resolve() };
    destruction.end = this.#destroy(destruction, before?.state);
    this.#all.set(doomed.id, destruction);
  }

  /** True if an instance is still listed some seconds after it went: a list may be late by a moment. */
  #isShownTooLong({ goneAt }: Destruction): boolean {
    return goneAt !== undefined && this.#destroying.clock.now() - goneAt >= LOOK_PAUSE_MS.over;
  }

  /** True when none of them is under way. */
  get areOver(): boolean {
    return this.#in("running").length === 0;
  }

  /**
   * Waits for the next look: until `moment` (milliseconds since the epoch) if given, else until all
   * destructions are over or some time has passed.
   */
  async pause(moment: number | undefined): Promise<void> {
    const { clock, signal, until } = this.#destroying;
    const enough = new AbortController();
    const either = signal ? AbortSignal.any([signal, enough.signal]) : enough.signal;
    const at = moment ?? clock.now() + LOOK_PAUSE_MS[this.areOver ? "over" : "running"];
    const wait = clock.sleep(Math.min(at, until) - clock.now(), either);
    if (moment !== undefined || this.areOver) return await wait;
    const isOver = Promise.all([...this.#all.values()].map(({ end }) => end)).then(() => enough.abort());
    await Promise.race([isOver, wait]);
    // Its own end is no fault.
    await wait.catch((reason: unknown) => {
      if (!enough.signal.aborted) throw reason;
    });
  }

  async outcome(): Promise<{ destroyed: number[]; undestroyed: string[]; goneAt: Map<number, number> }> {
    await Promise.all([...this.#all.values()].map(({ end }) => end));
    const ends = [...this.#all.values()].flatMap(({ doomed, goneAt }): [number, number][] =>
      goneAt === undefined ? [] : [[doomed.id, goneAt]],
    );
    const destroyed = this.#in("destroyed").map(({ doomed }) => doomed.id);
    const undestroyed = this.#in("refused").map(({ doomed }) => `instance ${doomed.id}`);
    return { destroyed, undestroyed, goneAt: new Map(ends) };
  }

  #in(state: Destruction["state"]): Destruction[] {
    return [...this.#all.values()].filter((destruction) => destruction.state === state);
  }

  async #destroy(destruction: Destruction, before: Destruction["state"] | undefined): Promise<void> {
    const { clock, log, signal } = this.#destroying;
    const { id } = destruction.doomed;
    try {
      const release = this.#releases.get(id);
      if (release !== undefined) await release;
      const how = await destroyInstance(this.#destroying, destruction.doomed);
      destruction.state = before === "destroyed" ? before : how;
      destruction.goneAt = clock.now();
      if (destruction.state === before) return;
      log.info(`Instance ${id} ${destruction.state === "destroyed" ? "is destroyed" : "was gone already"}.`);
    } catch (error) {
      // Whatever went wrong, it may still bill: that is what counts, and post names it.
      destruction.state = "refused";
      if (!(error instanceof InstanceNotDestroyedError || signal?.aborted)) log.warning(`Instance ${id}: ${error}`);
    }
  }
}

/** Lists the instances of a session. Undefined: the list could not be read. */
async function listOurs({ log, service, signal }: Destroying, prefix: string): Promise<Instance[] | undefined> {
  try {
    const instances = await service.list(signal);
    return instances.filter((instance) => hasPrefix(instance.label, prefix));
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof UserError)) throw error;
    log.info(`The instances could not be listed: ${error.message}`);
    return undefined;
  }
}

type Written = Pick<Ledger, "prefix" | "pending" | "created" | "reports">;

/** Reads from main's notes what post has to look for; undefined: nothing can be rented. */
export function remainsOf(ledger: Written): SessionRemains | undefined {
  const { created, pending, prefix } = ledger;
  // Every create is announced before it is sent: without an announcement there is nothing to look
  // for.
  if (prefix === undefined || pending.size === 0) return undefined;
  const isUncertain = [...pending.keys()].some((machineNo) => !created.has(machineNo));
  return { prefix, known: knownInstances(ledger), isUncertain };
}

/** Makes the order to destroy an instance from its record. */
export function doomedOf(id: number, record: MachineRecord | undefined): Doomed {
  return { id, createdAt: record?.at.created, wasListed: record?.isListed };
}

/**
 * Writes into a record how its instance ended: what we destroyed was there until then, and nobody
 * saw the others go. `how`: our destruction in words.
 */
export function recordedEnd(
  record: MachineRecord,
  { destroyed, goneAt, undestroyed }: SessionDestroyed,
  how: string,
): MachineRecord {
  const { at, instanceId, last } = record;
  const seenGone = goneAt.get(instanceId);
  // Main had the service's own word that there is none: an answer that was no clear yes undoes nothing.
  const wentEarlier = at.gone !== undefined && last === "gave itself back";
  if (destroyed.includes(instanceId) && !wentEarlier)
    return { ...record, at: { ...at, gone: seenGone }, last: `${how} (${last})` };
  const isUnconfirmed = seenGone === undefined && undestroyed.length > 0;
  if (at.gone !== undefined || isUnconfirmed) return record;
  const gone = seenGone === undefined ? undefined : unseenEnd(record, seenGone);
  return { ...record, at: { ...at, gone }, last: last === "ready" ? "gave itself back" : `gave itself back (${last})` };
}

/** How often a machine looks at the clock to see whether its deadline has come. */
const TICK_MS = 15_000;

/** Estimates when an instance went that a look found to be gone: before that look, and soon after its deadline. */
function unseenEnd({ deadline = Number.POSITIVE_INFINITY }: MachineRecord, seenGone: number): number {
  return Math.min(seenGone, deadline + TICK_MS);
}

/**
 * Lists the known instances, in the order of their creates: the oldest has billed longest. An instance that only
 * lists showed has a record alone. Those that main saw go are left out.
 */
function knownInstances({ created, reports }: Written): SessionRemains["known"] {
  const rows = [...new Set([...created.keys(), ...reports.keys()])].toSorted((left, right) => left - right);
  return rows.flatMap((row) => {
    const record = reports.get(row);
    const id = record?.instanceId ?? created.get(row) ?? "none";
    return id === "none" || record?.isGone ? [] : [doomedOf(id, record)];
  });
}

type Removing = Pick<Session, "clock" | "log" | "runnerNamePrefix" | "runners">;

/** After so many faults GitHub counts as away: each takes time that post needs elsewhere. */
const MOST_GITHUB_FAULTS = 2;

/**
 * Removes every runner registration of a session: those that main wrote down, and those that have
 * the session's names, because main may have been cut off before it wrote. Registrations cost
 * nothing, so a fault is only a warning. `until`: the end of post, in milliseconds since the epoch.
 */
export async function removeRunners(session: Removing, ledger: Ledger, until: number): Promise<void> {
  const { clock, log, runnerNamePrefix, runners } = session;
  let known = new Set([...ledger.runners.values()].flat());
  const faults: UserError[] = [];
  await noting(faults, async () => {
    const isOurs = ({ name }: ListedRunner) => name.startsWith(`${runnerNamePrefix}-`);
    const listed = await withRetry(() => runners.find(isOurs), { clock, until });
    // The list may still lack a fresh runner, so what main wrote down counts, too.
    known = new Set([...runnersLeft(ledger), ...listed.map(({ id }) => id)]);
  });
  for (const id of known) if (faults.length < MOST_GITHUB_FAULTS) await noting(faults, () => removeOne(session, id));
  const [first] = faults;
  if (first === undefined) return;
  log.warning(`A runner registration may be left over; GitHub drops it within a day. ${first.message}`);
}

/** Lists the runners of machines that are not known to be gone: of a large matrix hundreds are gone. */
function runnersLeft({ created, reports, runners }: Ledger): number[] {
  return [...runners].flatMap(([machineNo, ids]) =>
    created.get(machineNo) === "none" || reports.get(machineNo)?.isGone ? [] : ids,
  );
}

async function noting(faults: UserError[], ask: () => Promise<void>): Promise<void> {
  try {
    await ask();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    faults.push(error);
  }
}

async function removeOne({ runners, log }: Removing, id: number): Promise<void> {
  const answer = await runners.remove(id);
  log.info(
    answer === "removed"
      ? `Runner ${id} is not registered any more.`
      : `Runner ${id} still counts as busy; GitHub drops it by itself.`,
  );
}
