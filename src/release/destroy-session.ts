import type { ListedRunner } from "../github/runners.ts";
import { TURNS_UP_WITHIN_MS } from "../machine/create.ts";
import { hasPrefix } from "../machine/label.ts";
import { JOBS_OVER, type MachineRecord } from "../machine/record.ts";
import type { Instance } from "../marketplace/marketplace.ts";
import { withRetry } from "../shared/retry.ts";
import { UserError } from "../shared/user-error.ts";
import {
  type Course,
  courseOf,
  type Destroyer,
  type Doomed,
  destroyOnce,
  howGone,
  LOOK_WITHIN_MS,
  tellOnce,
} from "./destroy.ts";
import type { Ledger } from "./ledger.ts";
import type { Session } from "./session.ts";

/** What may still be rented, and must go. */
interface Remains {
  /** Whatever is listed under a label that begins so goes, too. Undefined: only what is known. */
  prefix?: string | undefined;
  /** Instances that are known to have been created, and not to be gone: the most urgent first. */
  known: readonly Doomed[];
  /** True if no answer said what a create made: an instance, or a further one, may still turn up. */
  isUncertain: boolean;
}

/** What may be left of a session, and how all its labels begin. */
export interface SessionRemains extends Remains {
  prefix: string;
}

/** What became of the instances. `undestroyed` names in words all that may still bill. */
export interface SessionDestroyed {
  /** Instances that were still there and are gone now; not those that had given themselves back. */
  destroyed: readonly number[];
  undestroyed: readonly string[];
  /** When each was seen to be gone, those included that gave themselves back. Milliseconds since the epoch. */
  goneAt: ReadonlyMap<number, number>;
  /** The instances that the lists showed, in order: their figures are newer than main's. */
  shown: readonly Instance[];
}

/** The tools, and the end of it all in milliseconds since the epoch. */
export interface Destroying extends Destroyer {
  until: number;
}

/** When to look again after a create without an answer. */
const UNCERTAIN_LOOKS_MS = [0, 2000, 5000, 10_000, 20_000, TURNS_UP_WITHIN_MS];
/** Between two rounds, when nothing new was found: a tenth of the time that it has taken so far, within these. */
const BETWEEN_ROUNDS_MS = { least: 3000, most: 10_000 } as const;
/** A list may be late by so much before it shows that an instance is gone. */
const LISTED_FOR_MS = 5000;

/**
 * Destroys whatever must go, in rounds, until a list shows nothing of it. A round asks for each instance once, side
 * by side in the order of `known`, and then lists. After an uncertain create it looks for 40 s, because a fresh
 * instance may be listed late. Where `mayGo` is false an instance is kept, and the rounds go on. An abort ends it with
 * what was done so far.
 */
export async function destroySession(destroying: Destroying, remains: Remains, mayGo = (_id: number) => true) {
  const rounds = new Rounds(destroying, remains);
  try {
    while (!(await rounds.isLast(mayGo))) await rounds.pause();
  } catch (error) {
    if (!destroying.signal?.aborted) throw error;
  }
  return rounds.outcome();
}

class Rounds {
  readonly #destroying: Destroying;
  readonly #remains: Remains;
  readonly #start: number;
  readonly #courses = new Map<number, Course>();
  readonly #shown: Instance[] = [];
  /** When else to look, in milliseconds since the epoch, because something may turn up. */
  #moments: readonly number[];
  /** The ids that the last list showed; undefined: none was read. */
  #ids: ReadonlySet<number> | undefined;
  /** True if the last list showed what was not asked for yet. */
  #hasNew = false;

  constructor(destroying: Destroying, remains: Remains) {
    const start = destroying.clock.now();
    this.#start = start;
    this.#destroying = destroying;
    this.#remains = remains;
    this.#moments = (remains.isUncertain ? UNCERTAIN_LOOKS_MS : [0]).map((moment) => start + moment);
    for (const doomed of remains.known) this.#courses.set(doomed.id, courseOf(doomed, start));
  }

  /** Does one round. Returns true if nothing is left, or no time. */
  async isLast(mayGo: (id: number) => boolean): Promise<boolean> {
    const { clock, until } = this.#destroying;
    await this.#ask(mayGo);
    const listsAt = clock.now();
    await this.#list();
    this.#moments = this.#moments.filter((moment) => moment > listsAt);
    return (this.#isClean && this.#moments.length === 0) || clock.now() >= until;
  }

  /** Waits for the next round: while all is gone, for the next moment at which more may turn up. */
  async pause(): Promise<void> {
    const { clock, signal, until } = this.#destroying;
    const { least, most } = BETWEEN_ROUNDS_MS;
    const now = clock.now();
    const pause = this.#hasNew ? 0 : Math.min(most, Math.max(least, (now - this.#start) / 10));
    const next = this.#isClean ? (this.#moments[0] ?? now) : now + pause;
    await clock.sleep(Math.min(next, until) - now, signal);
  }

  outcome(): SessionDestroyed & { faults: ReadonlyMap<number, unknown> } {
    const all = [...this.#courses.values()];
    const open = this.#open();
    const undestroyed = open.map(({ id }) => `instance ${id}`);
    const { prefix } = this.#remains;
    const mayBeMore = this.#ids === undefined || this.#moments.length > 0 || (open.length === 0 && !this.#isClean);
    if (prefix !== undefined && mayBeMore) undestroyed.push(`whatever is labelled ${prefix}.…`);
    return {
      destroyed: all.filter((each) => each.goneAt !== undefined && howGone(each) === "destroyed").map(({ id }) => id),
      undestroyed,
      goneAt: new Map(all.flatMap(({ goneAt, id }) => (goneAt === undefined ? [] : [[id, goneAt]]))),
      /** Why each of the others is not gone. Undefined: it is still listed, or there was no time to ask. */
      faults: new Map(open.map(({ fault, id }) => [id, fault])),
      shown: this.#shown,
    };
  }

  /** True if all is gone, and the last list shows nothing. */
  get #isClean(): boolean {
    return this.#ids?.size === 0 && this.#open().length === 0;
  }

  /** Asks once for each that may go, side by side. */
  async #ask(mayGo: (id: number) => boolean): Promise<void> {
    const { log } = this.#destroying;
    const due = this.#open().filter(({ id }) => mayGo(id));
    const asked = due.map(async (course) => {
      const isMissing = this.#ids?.has(course.id) === false;
      if (!(await destroyOnce(this.#destroying, course, isMissing))) return;
      const wasGone = course.isClaimed ? "is not this run's, or was gone already" : "was gone already";
      const went = howGone(course) === "destroyed" ? "is destroyed" : wasGone;
      tellOnce(log, course, `Instance ${course.id} ${went}.`);
    });
    // An abort ends them all, and none may be left under way.
    for (const result of await Promise.allSettled(asked)) if (result.status === "rejected") throw result.reason;
  }

  async #list(): Promise<void> {
    const ours = await this.#listOurs();
    this.#ids = ours && new Set(ours.map(({ id }) => id));
    this.#hasNew = false;
    for (const instance of ours ?? []) this.#note(instance);
  }

  /** Notes that an instance is listed. One that counts as gone for too long must go again, as two answers may differ. */
  #note(instance: Instance): void {
    const { id } = instance;
    this.#shown.push(instance);
    const now = this.#destroying.clock.now();
    const known = this.#courses.get(id);
    if (known === undefined) this.#courses.set(id, courseOf({ id, createdAt: undefined, wasListed: true }, now));
    else if (now - (known.goneAt ?? now) >= LISTED_FOR_MS) known.goneAt = undefined;
    else return;
    this.#hasNew = true;
  }

  #open(): Course[] {
    return [...this.#courses.values()].filter(({ goneAt }) => goneAt === undefined);
  }

  /** Lists what must go and is there. Undefined: the list could not be read. */
  async #listOurs(): Promise<Instance[] | undefined> {
    const { clock, log, service, signal } = this.#destroying;
    const { prefix } = this.#remains;
    // Their own ids say all of them.
    if (prefix === undefined && this.#open().length === 0) return [];
    try {
      const until = clock.now() + LOOK_WITHIN_MS;
      const instances = await service.list({ until, ...(signal && { signal }) });
      return instances.filter(({ id, label }) =>
        prefix === undefined ? this.#courses.has(id) : hasPrefix(label, prefix),
      );
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof UserError)) throw error;
      log.info(`The instances could not be listed: ${error.message}`);
      return undefined;
    }
  }
}

type Written = Pick<Ledger, "prefix" | "pending" | "created" | "reports"> & Partial<Pick<Ledger, "claimed">>;

/** Reads from main's notes what post has to look for; undefined: nothing can be rented. */
export function remainsOf(ledger: Written): SessionRemains | undefined {
  const { claimed = [], created, pending, prefix, reports } = ledger;
  // Every create is announced before it is sent: without an announcement there is nothing to look
  // for.
  if (prefix === undefined || pending.size === 0) return undefined;
  const isUncertain = [...pending.keys()].some((machineNo) => {
    const id = created.get(machineNo);
    return id === undefined || (id !== "none" && claimed.includes(id) && reports.get(machineNo)?.isGone !== true);
  });
  return { prefix, known: knownInstances(ledger), isUncertain };
}

/** Makes the order to destroy an instance from its record. */
export function doomedOf(id: number, record: MachineRecord | undefined): Doomed {
  return { id, createdAt: record?.at.created, wasListed: record?.isListed };
}

/** How often a machine looks at the clock to see whether its deadline has come. */
const TICK_MS = 15_000;

/** Writes into a record how its instance ended: by us, in the words of `how`, or unseen by itself. */
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
  // It went before that look, and soon after its deadline.
  const gone = seenGone && Math.min(seenGone, (record.deadline ?? Number.POSITIVE_INFINITY) + TICK_MS);
  const isUsual = last === "ready" || last === JOBS_OVER;
  return { ...record, at: { ...at, gone }, last: isUsual ? "gave itself back" : `gave itself back (${last})` };
}

/** Lists the known instances that main did not see go, in the order of their creates: the oldest has billed longest. */
function knownInstances({ claimed = [], created, reports }: Written): Remains["known"] {
  const rows = [...new Set([...created.keys(), ...reports.keys()])].toSorted((left, right) => left - right);
  const noted = rows.flatMap((row) => {
    const record = reports.get(row);
    const id = record?.instanceId ?? created.get(row) ?? "none";
    return id === "none" || record?.isGone || claimed.includes(id) ? [] : [doomedOf(id, record)];
  });
  const gone = [...reports.values()].flatMap(({ instanceId, isGone }) => (isGone ? [instanceId] : []));
  const others = new Set([...claimed].filter((id) => !gone.includes(id)));
  return [...noted, ...[...others].map((id) => ({ id, createdAt: undefined, wasListed: true, isClaimed: true }))];
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
  const isRemoved = answer === "removed";
  log.info(
    `Runner ${id} ${isRemoved ? "is not registered any more" : "still counts as busy; GitHub drops it by itself"}.`,
  );
}
