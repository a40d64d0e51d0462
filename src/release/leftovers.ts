import type { Runs } from "../github/runs.ts";
import { type Label, readLabel, serverLetters } from "../machine/label.ts";
import type { Instance } from "../marketplace/marketplace.ts";
import type { Clock } from "../shared/clock.ts";
import { UserError } from "../shared/user-error.ts";

/** How long after its end a run attempt counts as over: by then its own post step has run. */
const SETTLED_AFTER_MS = 60_000;

/** Whose machines are swept, and which run attempt sweeps. */
export type Sweeper = ReturnType<typeof sweeperOf>;

/** Makes the facts about who sweeps: server, repository and run attempt. */
export function sweeperOf(
  { serverUrl, runId, attempt }: { serverUrl: string; runId: number; attempt: number },
  repositoryId: number,
) {
  return { server: serverLetters(serverUrl), repositoryId, runId, attempt };
}

/** An instance of this repository, with what the service shows of it. */
export interface Owned extends Pick<Instance, "id" | "startedAt" | "usdPerHour"> {
  label: Label;
}

/** A run attempt. `since`: the earliest moment, by our clock, when it surely was completed. */
export type AttemptState =
  | { kind: "open" }
  | { kind: "completed"; since: number }
  /** Nobody can say: no evidence of anything. */
  | { kind: "unknown"; why: string };

/** What happens to an instance, and why, as the end of a sentence. */
export type LeftoverVerdict =
  | { kind: "destroy"; why: string }
  /** The instance is destroyed at that moment, unless something changes before. */
  | { kind: "wait"; until: number; why: string }
  | { kind: "leave"; why: string };

/** Lists this repository's instances in any state, oldest first; not those whose label can't be read. */
export function ownedInstances(instances: readonly Instance[], { server, repositoryId }: Sweeper): Owned[] {
  const owned = instances.flatMap(({ id, label: text, startedAt, usdPerHour }): Owned[] => {
    const label = readLabel(text ?? "");
    if (label === undefined || label.server !== server || label.repositoryId !== repositoryId) return [];
    return [{ id, label, startedAt, usdPerHour }];
  });
  // SPEC-SILENT: how ids grow; a younger instance is taken to have the higher one.
  return owned.sort((left, right) => left.id - right.id);
}

/** One attempt of a run. */
export type Attempt = Pick<Label, "runId" | "attempt">;

/** Makes the key of a run attempt in a map. */
export function attemptName({ runId, attempt }: Attempt): string {
  return `${runId}-${attempt}`;
}

/** Lists once each the attempts whose state decides: neither the one that sweeps, nor those of expired instances. */
export function attemptsToAsk(owned: readonly Owned[], sweeper: Sweeper, serviceNow: number): Attempt[] {
  const asked = owned.filter(({ label }) => !isOwnAttempt(label, sweeper) && !hasExpired(label, serviceNow));
  return [...new Map(asked.map(({ label }) => [attemptName(label), label])).values()];
}

/** The evidence for a verdict on one instance. Times in milliseconds since the epoch, by our clock. */
interface Evidence {
  sweeper: Sweeper;
  state: AttemptState | undefined;
  now: number;
  /** How far the service's clock is ahead of ours: labels expire by that one. Undefined: not known. */
  aheadMs: number | undefined;
  /** When the sweep began. */
  begun: number;
}

/** Decides what happens to an instance. If nobody can say whether its run is over, it stays until it expires. */
export function judgeLeftover(label: Label, evidence: Evidence): LeftoverVerdict {
  const { aheadMs = 0, now, sweeper } = evidence;
  if (isOwnAttempt(label, sweeper)) return { kind: "leave", why: "it belongs to this run attempt" };
  if (hasExpired(label, now + aheadMs))
    return { kind: "destroy", why: `its time was up at ${timeInWords(label.expiry)}` };
  const state = attemptState(label, evidence);
  if (state.kind === "open") return { kind: "leave", why: "its run is not over" };
  if (state.kind === "unknown") {
    const expiry = timeInWords(label.expiry);
    return { kind: "leave", why: `whether its run is over is not known (${state.why}); it goes after ${expiry}` };
  }
  const settledAt = state.since + SETTLED_AFTER_MS;
  return now >= settledAt
    ? { kind: "destroy", why: "its run is over" }
    : { kind: "wait", until: settledAt, why: "its run ended less than a minute ago" };
}

/** Returns the state of a label's attempt. Earlier attempts of the run that sweeps are over, whatever GitHub says. */
function attemptState({ runId, attempt }: Label, { begun, state, sweeper }: Evidence): AttemptState {
  if (state?.kind === "completed") return state;
  if (runId === sweeper.runId && attempt < sweeper.attempt) return { kind: "completed", since: begun };
  return state ?? { kind: "unknown", why: "it was not asked" };
}

function isOwnAttempt(label: Attempt, sweeper: Sweeper): boolean {
  return label.runId === sweeper.runId && label.attempt === sweeper.attempt;
}

function hasExpired(label: Label, serviceNow: number): boolean {
  return label.expiry <= serviceNow;
}

function timeInWords(milliseconds: number): string {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? "an unknown time" : date.toISOString();
}

/** Looks up the state of a run attempt; `unknown` if GitHub can't say. Throws no UserError. */
export type AskAttempt = (attempt: Attempt, signal: AbortSignal) => Promise<AttemptState>;

/** Makes a function that asks GitHub whether an attempt is over. Each kind of fault is logged once, and is no evidence. */
export function attemptAsker(
  runs: Pick<Runs, "attempt">,
  clock: Clock,
  logFault: (line: string, error: UserError) => void,
): AskAttempt {
  const logged = new Set<string>();
  const unknownAfter = (error: unknown, signal: AbortSignal): AttemptState => {
    if (signal.aborted) return { kind: "unknown", why: "there was no time left to ask" };
    if (!(error instanceof UserError)) throw error;
    if (!logged.has(error.name))
      logFault(`Which runs are over can't be seen. ${error.message} ${error.hint ?? ""}`, error);
    logged.add(error.name);
    return { kind: "unknown", why: "GitHub could not be asked" };
  };
  return async ({ runId, attempt }, signal) => {
    try {
      const seen = await runs.attempt(runId, attempt, signal);
      if (seen === undefined) return { kind: "unknown", why: "GitHub knows no such run, or hides it from job-token" };
      return seen.isCompleted ? { kind: "completed", since: clock.now() - seen.unchangedForMs } : { kind: "open" };
    } catch (error) {
      return unknownAfter(error, signal);
    }
  };
}
