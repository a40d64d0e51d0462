import type { SimClock } from "../clock/sim-clock.ts";
import type { Delivery } from "./deliver.ts";

/** A fault, as far as it does not matter which server it is of. */
interface AnyFault {
  readonly kind: string;
  readonly nth?: number | undefined;
  readonly times?: number | undefined;
  readonly when?: "before" | "after" | undefined;
  readonly seconds?: number | undefined;
  readonly status?: number | undefined;
  readonly body?: unknown;
  readonly text?: string;
  readonly bytes?: number;
  readonly headers?: Record<string, string> | undefined;
}

/** The faults in force and how often each was met. */
export class FaultBook<Fault extends AnyFault> {
  #faults: { fault: Fault; met: number }[] = [];

  /** Replaces all faults; counting begins anew. */
  set(faults: readonly Fault[]): void {
    this.#faults = faults.map((fault) => ({ fault, met: 0 }));
  }

  /** Counts a request for each fault that means it and gives those that hit it. */
  hits(means: (fault: Fault) => boolean): Fault[] {
    const matching = this.#faults.filter(({ fault }) => means(fault));
    for (const each of matching) each.met += 1;
    return matching.filter(({ fault, met }) => isTurn(fault, met)).map(({ fault }) => fault);
  }
}

function isTurn({ nth, times }: AnyFault, met: number): boolean {
  const first = nth ?? 1;
  const count = times ?? (nth === undefined ? Number.POSITIVE_INFINITY : 1);
  return met >= first && met < first + count;
}

/** The first fault of a kind among those that hit a request. */
export function findFault<Fault extends AnyFault, Kind extends Fault["kind"]>(
  faults: readonly Fault[],
  kind: Kind,
): Extract<Fault, { kind: Kind }> | undefined {
  return faults.find((fault): fault is Extract<Fault, { kind: Kind }> => fault.kind === kind);
}

/** What a kind makes of a request: whether it takes effect now, and what is sent of its answer. */
interface Shape {
  readonly takesEffect: boolean | "when";
  readonly how: "cut" | "silence" | "made" | "sent";
}

/** The kinds that shape an answer. A late create's later effect is the caller's. */
const SHAPING: Readonly<Record<string, Shape>> = {
  refuse: { takesEffect: false, how: "cut" },
  reset: { takesEffect: false, how: "cut" },
  "late-create": { takesEffect: false, how: "cut" },
  "lose-answer": { takesEffect: true, how: "cut" },
  "never-answer": { takesEffect: "when", how: "silence" },
  status: { takesEffect: "when", how: "made" },
  text: { takesEffect: "when", how: "made" },
  truncate: { takesEffect: true, how: "sent" },
  drip: { takesEffect: true, how: "sent" },
};

const NONE: AnyFault = { kind: "none" };
const PLAIN: Shape = { takesEffect: true, how: "sent" };

/** The first fault that shapes the answer; the others of that kind wait for another request. */
export function shapingFault<Fault extends AnyFault>(faults: readonly Fault[]): Fault | undefined {
  return faults.find(({ kind }) => kind in SHAPING);
}

/** True when a request under this fault takes effect now. */
export function takesEffect({ kind, when }: AnyFault = NONE): boolean {
  const { takesEffect: does } = SHAPING[kind] ?? PLAIN;
  return does === "when" ? when === "after" : does;
}

/** How the server's own answers to `status` and `text` look. */
interface Made<Answer> {
  status(status: number, body: unknown, headers: Record<string, string> | undefined): Answer;
  text(status: number, text: string): Answer;
}

/** The rest of an answer under a fault; `answer`: undefined if the request took no effect. */
export function shapeAnswer<Answer>(
  fault: AnyFault | undefined,
  answer: Answer | undefined,
  made: Made<Answer>,
): Delivery<Answer> {
  const { kind, bytes = 0, seconds = 0 } = fault ?? NONE;
  const { how } = SHAPING[kind] ?? PLAIN;
  if (how === "made") return { how: "answer", answer: madeAnswer(fault ?? NONE, made) };
  if (how === "silence") return { how };
  if (how === "cut" || answer === undefined) return { how: "cut" };
  if (kind === "truncate") return { how: "truncated", answer, bytes };
  return kind === "drip" ? { how: "dripped", answer, seconds } : { how: "answer", answer };
}

function madeAnswer<Answer>({ kind, status, body, headers, text = "" }: AnyFault, made: Made<Answer>): Answer {
  return kind === "text" ? made.text(status ?? 200, text) : made.status(status ?? 500, body, headers);
}

/** Waits as long as the delays say that are due before a request takes effect, or after that. */
export async function delayed(
  faults: readonly AnyFault[],
  when: "before" | "after",
  { clock, closing }: { clock: SimClock; closing: AbortSignal },
): Promise<void> {
  for (const { kind, when: due = "before", seconds = 0 } of faults) {
    if (kind === "delay" && due === when) await clock.sleep(seconds * 1000, closing);
  }
}
