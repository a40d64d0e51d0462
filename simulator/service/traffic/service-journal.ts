import type { Delivery } from "../../http/deliver.ts";
import type { ServiceOperation } from "../../scenario/fault.ts";

const MASK = "…";

/** Fields whose value is a secret, or may be one. */
const SECRET_FIELDS = /^(?:instance_api_key|image_login|docker_login_pass|jupyter_token|ssh_key|key|new_api_key)$/;

/** Copies a JSON body without secrets: keys, env values (not names), onstart (but its length). */
function redact(value: unknown, name = ""): unknown {
  if (value === null || value === undefined) return value;
  if (SECRET_FIELDS.test(name)) return MASK;
  if (name === "env" || name === "extra_env") return maskedValues(value);
  if (name === "onstart" && typeof value === "string") return `<${value.length} characters>`;
  if (Array.isArray(value)) return value.map((each) => redact(each));
  if (typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, redact(field, key)]));
}

/** The names of variables, as an object or in pairs. */
function maskedValues(env: unknown): unknown {
  if (typeof env !== "object" || env === null) return MASK;
  if (Array.isArray(env)) return env.map((pair) => (Array.isArray(pair) ? [pair[0], MASK] : MASK));
  return Object.fromEntries(Object.keys(env).map((key) => [key, MASK]));
}

/** The fate of a request, by what arrived of its answer. */
const OUTCOMES = {
  ...{ answer: "answered", dripped: "answered", truncated: "truncated", cut: "cut", silence: "never answered" },
} as const satisfies Record<Delivery["how"], string>;

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
  outcome: (typeof OUTCOMES)[keyof typeof OUTCOMES] | "pending";
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
    const request = redact(entry.request);
    const opened: JournalEntry = { ...entry, request, outcome: "pending", performed: false };
    this.entries.push(opened);
    return opened;
  }

  /** Completes an entry. */
  close(entry: JournalEntry, delivery: Delivery): void {
    entry.outcome = OUTCOMES[delivery.how];
    if (!("answer" in delivery)) return;
    const { status, text, body } = delivery.answer;
    entry.status = status;
    entry.answer = text ?? redact(body);
  }
}
