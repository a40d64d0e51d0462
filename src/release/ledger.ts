import { z } from "zod";
import type { LedgerPort } from "../machine/create.ts";
import { type MachineRecord, machineRecordSchema } from "../machine/record.ts";
import { oneLine } from "../shared/foreign-text.ts";
import { readJson } from "../shared/json.ts";
import type { Log } from "../shared/log.ts";
import { sign, signingKey, verified } from "../shared/signature.ts";
import { CancelledError, ERROR_KINDS, UserError } from "../shared/user-error.ts";

/** The facts that main knows and post needs for the receipt. */
const contextSchema = z.object({
  startedAt: z.number(),
  runnerLabel: z.string(),
  maxCost: z.number().optional(),
  /** The credit before anything was rented, in USD. */
  credit: z.number().optional(),
});

export type ReceiptContext = z.infer<typeof contextSchema>;

/** One run in the table of the last runs. USD, seconds. */
const trendRowSchema = z.object({
  run: z.number(),
  at: z.number(),
  usd: z.number(),
  waitSeconds: z.number().optional(),
  bootSeconds: z.number().optional(),
});

export type TrendRow = z.infer<typeof trendRowSchema>;

/** What this run and those before it teach. Foreign text in it is one line, not harmless in Markdown. */
const lessonsSchema = z.object({ advice: z.array(z.string()), trend: z.array(trendRowSchema) });

export type Lessons = z.infer<typeof lessonsSchema>;

/** Offers that somebody else had. */
const taken = { taken: z.number().default(0) };

const mainEndSchema = z.discriminatedUnion("kind", [
  /** The GPU job ran, and is over. */
  z.object({ kind: z.literal("over"), ...taken }),
  /** Main returned with the machine ready: later steps, or other jobs, use it. */
  z.object({ kind: z.literal("ready") }),
  /** Nobody asked for a machine. */
  z.object({ kind: z.literal("no-job"), message: z.string() }),
  z.object({
    kind: z.literal("failed"),
    what: z.enum([...ERROR_KINDS, "bug"]),
    message: z.string(),
    hint: z.string().optional(),
    /** True if the message says what becomes of the jobs that wait. */
    tellsFate: z.literal(true).optional(),
    ...taken,
  }),
  /** `check: true`: all was well, and nothing was to be rented. */
  z.object({ kind: z.literal("checked") }),
  /** SIGINT or SIGTERM: a cancel, or the step's timeout-minutes. */
  z.object({ kind: z.literal("stopped") }),
]);

/** The end of main in its own words. Foreign text in it is one line, not harmless in Markdown. */
export type MainEnd = z.infer<typeof mainEndSchema>;

const LONGEST_MESSAGE = 1000;

/** Says for post how a failed main ended. `taken`: offers that were gone. `tellsFate`: it says what becomes of jobs. */
export function failedEnd(error: unknown, { taken = 0, tellsFate = false } = {}): MainEnd {
  if (error instanceof CancelledError) return { kind: "stopped" };
  if (!(error instanceof UserError)) {
    const what = error instanceof Error ? error.message : String(error);
    const message = oneLine(`This is a bug of ephemeral-gpu-runner: ${what}`, LONGEST_MESSAGE);
    return { kind: "failed", what: "bug", taken, message };
  }
  const hint = error.hint && oneLine(error.hint, LONGEST_MESSAGE);
  // The errors of these kinds say it always.
  const isOfFate = error.kind === "no-machine" || error.kind === "mistyped-label";
  const fate = tellsFate || isOfFate ? ({ tellsFate: true } as const) : {};
  return { kind: "failed", what: error.kind, taken, ...fate, message: oneLine(error.message, LONGEST_MESSAGE), hint };
}

/** The notes of main, as post reads them. */
export interface Ledger {
  /** The session's id; undefined: main never began one. */
  sessionId: string | undefined;
  /** The beginning of its labels; undefined: main ended before it could rent. */
  prefix: string | undefined;
  /** Ids of the runners of each machine. */
  runners: ReadonlyMap<number, readonly number[]>;
  /** Labels of creates that were about to be sent. */
  pending: ReadonlyMap<number, string>;
  created: ReadonlyMap<number, number | "none">;
  /** Ids that only a label can prove to be ours: a refused create's answer named them, or a note that main did not sign. */
  claimed: readonly number[];
  reports: ReadonlyMap<number, MachineRecord>;
  context?: ReceiptContext | undefined;
  lessons?: Lessons | undefined;
  /** The lines that the next run reads. */
  known: readonly string[];
  /** True when main saw that the run is to be cancelled: its GPU job can't have a machine. */
  cancelRun: boolean;
  /** How main ended; undefined: it was cut off before it could say. */
  end?: MainEnd | undefined;
  /** Names of entries that main did not write: a later step can add some. */
  forged: readonly string[];
}

/** Stands before an id that only a label can prove. */
const CLAIMED = "?";

/** What main's notes are bound to: the account, and this run attempt. */
export interface LedgerOrigin {
  apiKey: string;
  runId: string;
  attempt: string;
}

/** Derives the key that signs the entries of a session; without one that of its id, and of what comes before it. */
function keyOf({ apiKey, attempt, runId }: LedgerOrigin, sessionId = ""): Buffer {
  return signingKey(apiKey, "ledger", runId, attempt, sessionId);
}

/** Writes main's notes. Each entry is on disk before the call that it announces. */
export type LedgerWriter = ReturnType<typeof ledgerWriter>;

/**
 * Writes signed entries by `save`, which keeps the last text of a name. Where it throws, only `prefix` and `pending`
 * throw on, as what they announce could not be found again; all else is told once.
 */
export function ledgerWriter(save: (name: string, text: string) => void, log: Log, origin: LedgerOrigin) {
  let isTold = false;
  let key = keyOf(origin);
  const note = (name: string, text: string) => save(name, sign(key, name, text));
  const tryToNote = (name: string, text: string) => {
    try {
      note(name, text);
    } catch (error) {
      if (!isTold) log.warning(notNoted(error));
      isTold = true;
    }
  };
  const port: LedgerPort = {
    runners: (machineNo, runnerIds) => tryToNote(`runner_${machineNo}`, runnerIds.join(",")),
    pending: (machineNo, label) => note(`pending_${machineNo}`, label),
    created: (machineNo, instanceId, isClaimed = false) =>
      tryToNote(`created_${machineNo}`, `${isClaimed ? CLAIMED : ""}${instanceId}`),
    report: (machineNo, record) => tryToNote(`report_${machineNo}`, JSON.stringify(record)),
  };
  return {
    ...port,
    session(id: string) {
      tryToNote("session", id);
      key = keyOf(origin, id);
    },
    prefix: (prefix: string) => note("prefix", prefix),
    context: (context: ReceiptContext) => tryToNote("context", JSON.stringify(context)),
    lessons: (lessons: Lessons) => tryToNote("lessons", JSON.stringify(lessons)),
    known(lines: readonly string[]) {
      for (let from = 0; from < lines.length; from += LINES_OF_ENTRY)
        tryToNote(`known_${from}`, lines.slice(from, from + LINES_OF_ENTRY).join("\n"));
    },
    cancelRun: () => tryToNote("cancel_run", "true"),
    end: (end: MainEnd) => tryToNote("end", JSON.stringify(end)),
  };
}

function notNoted(error: unknown): string {
  const cause = error instanceof UserError ? error.cause : error;
  return `Notes for the post step could not be written (${cause instanceof Error ? cause.message : cause}): it finds machines and runners by their names, and may know less of them.`;
}

/** Entries by their names. */
export type SavedState = Readonly<Record<string, string | undefined>>;

const ENTRY = /^(?:session|prefix|context|lessons|cancel_run|end|(?:runner|pending|created|report|known)_\d{1,9})$/;
/** State travels in environment variables, and some systems take no longer one than 32 KB. */
const LINES_OF_ENTRY = 16;
/** More than any entry of ours has. */
const LONGEST_ENTRY = 65_536;

/** Reads main's notes for post. An entry that main did not sign, or that can't be read, counts as not there. */
export function readLedger(saved: SavedState, origin: LedgerOrigin): Ledger {
  const sessionId = textOf(saved, "session", keyOf(origin));
  const key = keyOf(origin, sessionId);
  const names = Object.keys(saved).filter((name) => ENTRY.test(name));
  const state: SavedState = Object.fromEntries(
    names.map((name) => [name, name === "session" ? sessionId : textOf(saved, name, key)]),
  );
  const forged = names.filter((name) => state[name] === undefined);
  const created = numbered(state, "created", String);
  const reports = numbered(state, "report", (text) => machineRecordSchema.safeParse(readJson(text)).data);
  return {
    sessionId,
    prefix: state.prefix,
    runners: numbered(state, "runner", (text) => text.split(",").map(Number)),
    pending: numbered(state, "pending", String),
    created: new Map([...created].map(([n, text]) => [n, text === "none" ? text : Number(text.replace(CLAIMED, ""))])),
    claimed: claimedIds(
      [...created.values()],
      reports,
      forged.flatMap((name) => (name.startsWith("created_") ? (saved[name] ?? []) : [])),
    ),
    reports,
    context: contextSchema.safeParse(readJson(state.context ?? "")).data,
    lessons: lessonsSchema.safeParse(readJson(state.lessons ?? "")).data,
    known: [...numbered(state, "known", String).values()].flatMap((lines) => lines.split("\n")),
    cancelRun: state.cancel_run === "true",
    end: mainEndSchema.safeParse(readJson(state.end ?? "")).data,
    forged,
  };
}

/** An id that anybody may have written, with a signature before it or without. */
const FORGED_ID = /^(?:1\.[\w-]{22}\.)?\??([1-9]\d{0,14})$/;

/** Returns the ids that only a label can prove. One that main signed needs no other proof, whoever else names it. */
function claimedIds(created: readonly string[], reports: Ledger["reports"], forged: readonly string[]): number[] {
  const proven = new Set(created.filter((text) => !text.startsWith(CLAIMED)));
  const signed = created.flatMap((text) => (text.startsWith(CLAIMED) ? [text.slice(CLAIMED.length)] : []));
  const known = new Set([
    ...proven,
    ...signed,
    ...Array.from(reports.values(), ({ instanceId }) => String(instanceId)),
  ]);
  const unsigned = forged.flatMap((text) => FORGED_ID.exec(text)?.[1] ?? []);
  const claimed = [...signed.filter((id) => !proven.has(id)), ...unsigned.filter((id) => !known.has(id))];
  return [...new Set(claimed)].map(Number);
}

function textOf(saved: SavedState, name: string, key: Buffer): string | undefined {
  const text = saved[name] ?? "";
  return text.length > LONGEST_ENTRY ? undefined : verified(key, name, text);
}

function numbered<T>(state: SavedState, kind: string, read: (text: string) => T | undefined): Map<number, T> {
  const pattern = new RegExp(`^${kind}_(\\d+)$`);
  const entries = Object.entries(state).flatMap(([name, text]): [number, T][] => {
    const n = pattern.exec(name)?.[1];
    const value = text === undefined ? undefined : read(text);
    return n === undefined || value === undefined ? [] : [[Number(n), value]];
  });
  return new Map(entries.sort(([left], [right]) => left - right));
}
