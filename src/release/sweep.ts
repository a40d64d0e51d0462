import type { Instance, Marketplace } from "../marketplace/marketplace.ts";
import type { Clock } from "../shared/clock.ts";
import type { Log } from "../shared/log.ts";
import { UserError } from "../shared/user-error.ts";
import { DESTROY_WITHIN_MS } from "./destroy.ts";
import { destroySession } from "./destroy-session.ts";
import { DESTROY_BY_HAND } from "./errors.ts";
import {
  type AskAttempt,
  type AttemptState,
  attemptName,
  attemptsToAsk,
  judgeLeftover,
  type LeftoverVerdict,
  type Owned,
  ownedInstances,
  type Sweeper,
} from "./leftovers.ts";

/** The tools of a sweep. */
export interface Sweeping {
  service: Marketplace;
  clock: Clock;
  log: Log;
  sweeper: Sweeper;
  askAttempt: AskAttempt;
  /** How many instances are destroyed at most, the oldest first. */
  maxDestroy: number;
  /** True if the sweep only says what it would destroy. */
  isDryRun: boolean;
  /** Ends the sweep: what is not done by then is left. */
  signal: AbortSignal;
}

/** What became of one instance. `refused`: the instance had to go, and may still bill. */
export interface Swept {
  kind: "destroyed" | "was-gone" | "would-go" | "refused" | "left";
  why: string;
  /** True if the service did not refuse to destroy the instance, which may be about to go. */
  mayGo?: boolean;
}

/** One look at the account's instances, and what became of them. */
export interface Sweep {
  seen: number;
  /** How many instances are somebody else's, or have a label that can't be read. They are left alone. */
  foreign: number;
  ours: { owned: Owned; fate: Swept }[];
  /** When to look at the instances that had to wait, in milliseconds since the epoch; undefined: none waits. */
  lookAgainAt: number | undefined;
  /** Why the second look failed; all other fields are then those of the first look. */
  fault?: unknown;
}

const EACH_MORE_MS = 8_000;

type JudgedLeftover = { owned: Owned; verdict: LeftoverVerdict };

/** Destroys the leftovers in a list of instances, all at once, and sees that they are gone. */
export async function sweepOnce(sweeping: Sweeping, instances: readonly Instance[], begun: number): Promise<Sweep> {
  const { clock, maxDestroy, service, sweeper } = sweeping;
  const owned = ownedInstances(instances, sweeper);
  const states = await askAttempts(sweeping, owned);
  const now = clock.now();
  const { aheadMs } = service;
  const judged = owned.map((each): JudgedLeftover => {
    const state = states.get(attemptName(each.label));
    return { owned: each, verdict: judgeLeftover(each.label, { sweeper, state, now, aheadMs, begun }) };
  });
  const doomed = judged.filter(({ verdict }) => verdict.kind === "destroy").slice(0, maxDestroy);
  const until = now + DESTROY_WITHIN_MS.sweep + doomed.length * EACH_MORE_MS;
  const fates = await destroyLeftovers(sweeping, doomed, until);
  const ours = judged.map(({ owned, verdict }) => ({ owned, fate: fates.get(owned.id) ?? left(verdict) }));
  const waits = judged.flatMap(({ verdict }) => (verdict.kind === "wait" ? [verdict.until] : []));
  const lookAgainAt = waits.length > 0 ? Math.max(...waits) : undefined;
  return { seen: instances.length, foreign: instances.length - owned.length, ours, lookAgainAt };
}

/** Lists the machines that are still there after a sweep. */
export function aliveAfter({ ours }: Sweep): Owned[] {
  return ours.filter(({ fate }) => fate.kind !== "destroyed" && fate.kind !== "was-gone").map(({ owned }) => owned);
}

/** Looks once and, if a run ended less than a minute ago, once more after that. Throws if the first list fails. */
export async function sweepAll(sweeping: Sweeping): Promise<Sweep> {
  const { clock, isDryRun, log, maxDestroy, service, signal } = sweeping;
  const begun = clock.now();
  const first = await sweepOnce(sweeping, await service.list(signal), begun);
  const rest = maxDestroy - first.ours.filter(({ fate }) => fate.kind !== "left").length;
  if (first.lookAgainAt === undefined || isDryRun || rest <= 0) return first;
  log.info("A run ended less than a minute ago; looking again when that minute is over.");
  try {
    await clock.sleep(first.lookAgainAt - clock.now(), signal);
    const second = await sweepOnce({ ...sweeping, maxDestroy: rest }, await service.list(signal), begun);
    return join(first, second);
  } catch (fault) {
    return { ...first, fault };
  }
}

/** Joins two looks: the second one is newer, but what the first one did stays in the report. */
function join(first: Sweep, second: Sweep): Sweep {
  const done = first.ours.filter(({ fate }) => fate.kind !== "left");
  const again = new Set(second.ours.filter(({ fate }) => fate.kind !== "left").map(({ owned }) => owned.id));
  const kept = done.filter(({ owned }) => !again.has(owned.id));
  const ids = new Set(kept.map(({ owned }) => owned.id));
  return { ...second, seen: first.seen, ours: [...kept, ...second.ours.filter(({ owned }) => !ids.has(owned.id))] };
}

async function askAttempts(sweeping: Sweeping, owned: readonly Owned[]): Promise<Map<string, AttemptState>> {
  const { clock, askAttempt, service, signal, sweeper } = sweeping;
  const states = new Map<string, AttemptState>();
  for (const attempt of attemptsToAsk(owned, sweeper, clock.now() + (service.aheadMs ?? 0))) {
    states.set(attemptName(attempt), await askAttempt(attempt, signal));
  }
  return states;
}

async function destroyLeftovers(
  sweeping: Sweeping,
  due: readonly JudgedLeftover[],
  until: number,
): Promise<Map<number, Swept>> {
  const { isDryRun, log } = sweeping;
  // A listed instance is visible: it need not be a minute old for "there is none" to count.
  const known = isDryRun ? [] : due.map(({ owned: { id } }) => ({ id, createdAt: undefined, wasListed: true }));
  // The lines below say more of each.
  const quiet: Log = { info() {}, warning: (line) => log.warning(line), stage: (_title, work) => work() };
  const used = await destroySession({ ...sweeping, log: quiet, until }, { known, isUncertain: false });
  return new Map(
    due.map(({ owned: { id, label }, verdict: { why } }) => {
      const fate: Swept = isDryRun ? { kind: "would-go", why } : sweptAs(sweeping, id, why, used);
      log.info(
        `Leftover instance ${id} (run ${label.runId}, attempt ${label.attempt}) ${DID[fate.kind]}: ${fate.why}.`,
      );
      return [id, fate];
    }),
  );
}

const DID: Readonly<Record<Swept["kind"], string>> = {
  destroyed: "is destroyed",
  "was-gone": "had given itself back",
  "would-go": "would be destroyed",
  refused: "could not be destroyed",
  left: "is left",
};

function sweptAs(
  { signal }: Sweeping,
  id: number,
  why: string,
  used: Awaited<ReturnType<typeof destroySession>>,
): Swept {
  if (used.goneAt.has(id)) return { kind: used.destroyed.includes(id) ? "destroyed" : "was-gone", why };
  const fault = used.faults.get(id);
  const mayGo = fault === undefined;
  if (fault instanceof Error) return { kind: "refused", why: fault.message.replace(/\.$/, ""), mayGo };
  return { kind: "refused", why: signal.aborted ? "the time for it was over" : "it is still listed", mayGo };
}

function left(verdict: LeftoverVerdict): Swept {
  if (verdict.kind !== "destroy") return { kind: "left", why: verdict.why };
  return { kind: "left", why: `${verdict.why}, and max-destroy was reached: the next sweep takes it` };
}

/** Says that the sweep could not destroy an instance that had to go, or not confirm that it is gone. */
export class SweepError extends UserError {
  /** Each of `undestroyed` names one instance and the reason, in words. */
  constructor(undestroyed: readonly string[]) {
    super(`The sweep could not destroy what had to go: ${undestroyed.join("; ")}. It may still be billing.`, {
      hint: DESTROY_BY_HAND,
    });
  }
}
