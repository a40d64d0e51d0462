import { serverLetters } from "../create/label.ts";
import type { RunAttempts } from "../github/run-attempts.ts";
import type { Clock } from "../shared/clock.ts";
import { UserError } from "../shared/user-error.ts";
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
  tell: (line: string, error: UserError) => void,
): Sweeping["askAttempt"] {
  const told = new Set<string>();
  const tellOnce = (error: UserError) => {
    if (!told.has(error.name)) tell(`Which runs are over can't be seen. ${error.message} ${error.hint ?? ""}`, error);
    told.add(error.name);
  };
  return (attempt, signal) =>
    ask(attempts, clock, attempt, signal).catch((error: unknown) => doubt(error, signal, tellOnce));
}

function doubt(error: unknown, signal: AbortSignal, tell: (error: UserError) => void): AttemptState {
  if (signal.aborted) return { kind: "unknown", why: "there was no time left to ask" };
  if (!(error instanceof UserError)) throw error;
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
