import type { ServiceOperation } from "../../scenario/service-operation.ts";
import { redact } from "./redact.ts";
import type { ServiceAnswer } from "./service-answer.ts";

/** The fate of a request. */
export type Outcome = "answered" | "cut" | "never answered" | "truncated" | "pending";

/** One request and its answer; without the Authorization header, keys, env values and onstart. */
export interface JournalEntry {
  /** Simulated ms since the epoch. */
  readonly at: number;
  readonly operation: ServiceOperation | "unknown-route";
  readonly method: string;
  /** As it was asked for, without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** `account`, `scoped`, `instance 7`, `anonymous` or `invalid`; never the key. */
  readonly caller: string;
  readonly request: unknown;
  /** The kinds of the faults that hit it. */
  readonly faults: readonly string[];
  outcome: Outcome;
  /** Absent where no answer was sent. */
  status?: number;
  answer?: unknown;
  /** It took effect, as reads do, too; false where it was refused or never reached. */
  performed: boolean;
  mark?: "not-simulated" | "rate-limited";
}

/** Every request in the order in which it came. */
export class ServiceJournal {
  readonly entries: JournalEntry[] = [];

  /** The requests of one operation. */
  of(operation: ServiceOperation): JournalEntry[] {
    return this.entries.filter((entry) => entry.operation === operation);
  }

  /** Requests for what the service lacks or we do not imitate: a test should have none. */
  strays(): JournalEntry[] {
    return this.entries.filter((entry) => entry.operation === "unknown-route" || entry.mark === "not-simulated");
  }

  /** Writes a request down; the entry is completed once its outcome is known. */
  open(entry: Omit<JournalEntry, "outcome" | "performed" | "status" | "answer" | "mark">): JournalEntry {
    const opened: JournalEntry = {
      ...entry,
      request: redact(entry.request),
      outcome: "pending",
      performed: false,
    };
    this.entries.push(opened);
    return opened;
  }

  /** Completes an entry. */
  close(entry: JournalEntry, outcome: Outcome, answer?: ServiceAnswer): void {
    entry.outcome = outcome;
    if (!answer) return;
    entry.status = answer.status;
    entry.answer = "text" in answer ? answer.text : redact(answer.body);
  }
}
