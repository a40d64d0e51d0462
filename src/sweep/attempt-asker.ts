import type { RunAttempts } from "../github/runs/run-attempts.ts";
import { KnownError } from "../known-error.ts";
import { serverLetters } from "../machine/label.ts";
import type { Clock } from "../time/clock.ts";
import type { Sweeping } from "./sweep.ts";
import type { Attempt, AttemptState, Sweeper } from "./sweep-decision.ts";

/** The run attempt in which the sweep runs. */
interface OwnAttempt {
  serverUrl: string;
  runId: number;
  attempt: number;
}

/** Who sweeps. */
export function sweeperOf({ serverUrl, runId, attempt }: OwnAttempt, repositoryId: number): Sweeper {
  return { server: serverLetters(serverUrl), repositoryId, runId, attempt };
}

type Attempts = Pick<RunAttempts, "get">;

/** Asks GitHub whether an attempt is over. Faults are told once, and never taken as evidence. */
export function attemptAsker(
  attempts: Attempts,
  clock: Clock,
  tell: (line: string, error: KnownError) => void,
): Sweeping["askAttempt"] {
  const told = new Set<string>();
  const tellOnce = (error: KnownError) => {
    if (!told.has(error.name)) tell(`Which runs are over can't be seen. ${error.message} ${error.hint ?? ""}`, error);
    told.add(error.name);
  };
  return (attempt, signal) =>
    ask(attempts, clock, attempt, signal).catch((error: unknown) => doubt(error, signal, tellOnce));
}

function doubt(error: unknown, signal: AbortSignal, tell: (error: KnownError) => void): AttemptState {
  if (signal.aborted) return { kind: "unknown", why: "there was no time left to ask" };
  if (!(error instanceof KnownError)) throw error;
  tell(error);
  return { kind: "unknown", why: "GitHub could not be asked" };
}

async function ask(
  attempts: Attempts,
  clock: Clock,
  { runId, attempt }: Attempt,
  signal: AbortSignal,
): Promise<AttemptState> {
  const seen = await attempts.get(runId, attempt, signal);
  if (seen === undefined) return { kind: "unknown", why: "GitHub knows no such run, or hides it from job-token" };
  return seen.isCompleted ? { kind: "completed", since: clock.now() - seen.unchangedForMs } : { kind: "open" };
}
