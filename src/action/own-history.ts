import { adviceFacts, pastRunOf } from "../fleet/lessons.ts";
import type { Fleet } from "../fleet/state.ts";
import { adviceOf } from "../history/advice.ts";
import { type HistoryPort, type HostFate, NO_HISTORY, withFate } from "../history/hosts.ts";
import type { LedgerWriter } from "../release/ledger.ts";
import type { Session } from "../release/session.ts";

/** Knows the machines of this session alone. */
export class OwnHistory implements HistoryPort {
  readonly isKept = false;
  #known = NO_HISTORY;

  get known() {
    return this.#known;
  }

  note(fate: HostFate): void {
    this.#known = withFate(this.#known, fate);
  }
}

/** The tools of learning from a run. */
interface Learning {
  session: Session;
  ledger: Pick<LedgerWriter, "lessons">;
  /** The beginning of the label of every instance. */
  prefix: string;
}

/** Logs what this run teaches, and writes it down for post. */
export function learn(fleet: Fleet, { ledger, prefix, session }: Learning): void {
  const { clock, log, run } = session;
  const now = clock.now();
  const past = pastRunOf(fleet, { attempt: run.attempt, now, prefix, runId: run.runId });
  if (past === undefined) return;
  const advice = adviceOf(adviceFacts(fleet, { now, runs: [past] }));
  for (const line of advice) log.info(line);
  // Post gets only this much, because saved state travels in an environment variable.
  const { at, bootSeconds, run: of, usd, waitSeconds } = past;
  ledger.lessons({ advice, trend: [{ at, bootSeconds, run: of, usd, waitSeconds }] });
}
