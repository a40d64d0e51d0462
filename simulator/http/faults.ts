import { z } from "zod";
import type { SimClock } from "../clock/sim-clock.ts";
import type { Answer, Delivery } from "./deliver.ts";

/** A fault, as far as it does not matter which server it is of. */
interface AnyFault {
  readonly operation: string;
  readonly kind: string;
  readonly nth?: number | undefined;
  readonly times?: number | undefined;
  readonly when?: "before" | "after" | undefined;
  readonly seconds?: number | undefined;
  readonly status?: number | undefined;
  readonly body?: unknown;
  readonly text?: string | undefined;
  readonly bytes?: number | undefined;
  readonly headers?: Record<string, string> | undefined;
}

/** Opens the faults of a server in force, of which there are none yet; `schema`: what is one. */
export function openFaults<Fault extends AnyFault>(schema: z.ZodType<Fault>) {
  let faults: { fault: Fault; met: number }[] = [];
  const seen = new Map<string, number>();
  /** Requests of an operation since the faults were set, with those that wait for their answer. */
  const arrived = (operation: Fault["operation"]) => seen.get(operation) ?? 0;
  return {
    arrived,
    /** Replaces all faults and begins to count anew; gives how many there are, and throws when one is wrong. */
    set(given: readonly Fault[]): number {
      faults = z
        .array(schema)
        .parse(given)
        .map((fault) => ({ fault, met: 0 }));
      seen.clear();
      return faults.length;
    },
    /** Counts one request, also for each fault that means it, and gives those that hit it. */
    take(operation: Fault["operation"], isMeant: (fault: Fault) => boolean = () => true): Fault[] {
      seen.set(operation, arrived(operation) + 1);
      const matching = faults.filter(({ fault }) => fault.operation === operation && isMeant(fault));
      for (const each of matching) each.met += 1;
      return matching.filter(({ fault, met }) => isTurn(fault, met)).map(({ fault }) => fault);
    },
  };
}

function isTurn({ nth, times }: AnyFault, met: number): boolean {
  const first = nth ?? 1;
  const count = times ?? (nth === undefined ? Number.POSITIVE_INFINITY : 1);
  return met >= first && met < first + count;
}

/** The first fault of a kind among those that hit a request. */
export function findFault<Fault extends AnyFault, Kind extends Fault["kind"]>(faults: readonly Fault[], kind: Kind) {
  return faults.find((fault): fault is Extract<Fault, { kind: Kind }> => fault.kind === kind);
}

/** The kinds that shape an answer, and whether a request takes effect now under each; `when`: as it says. */
const SHAPING: Readonly<Record<string, boolean | "when">> = {
  ...{ refuse: false, reset: false, "late-create": false },
  ...{ "lose-answer": true, truncate: true, drip: true },
  ...{ "never-answer": "when", status: "when", text: "when" },
};

const NONE: AnyFault = { operation: "none", kind: "none" };

/** A request and the words of its server where a fault makes the answer. */
interface Faulty {
  readonly clock: SimClock;
  /** Aborted when the server closes. */
  readonly closing: AbortSignal;
  /** Carries the request out. */
  readonly perform: () => Answer;
  /** The body of a `status` that brings none of its own. */
  readonly refusal: (status: number) => unknown;
  /** The content type of a `text`. */
  readonly textType: string;
}

/** Plays a request under its faults: when and whether it takes effect, and what arrives of its answer. */
export async function underFaults(faults: readonly AnyFault[], asked: Faulty): Promise<Delivery> {
  const { clock, closing, perform } = asked;
  // The others of that kind wait for another request.
  const fault = faults.find(({ kind }) => kind in SHAPING) ?? NONE;
  await delayed(faults, "before", asked);
  if (fault.kind === "late-create")
    clock.after((fault.seconds ?? 0) * 1000, () => {
      if (!closing.aborted) perform();
    });
  const takesEffect = SHAPING[fault.kind] ?? true;
  const isNow = takesEffect === "when" ? fault.when === "after" : takesEffect;
  const answer = isNow ? perform() : undefined;
  await delayed(faults, "after", asked);
  return shaped(fault, answer, asked);
}

function shaped(fault: AnyFault, answer: Answer | undefined, { refusal, textType }: Faulty): Delivery {
  const { kind, status = 500, body, headers, text = "", bytes = 0, seconds = 0 } = fault;
  if (kind === "text")
    return { how: "answer", answer: { status: fault.status ?? 200, text, headers: { "content-type": textType } } };
  if (kind === "status")
    return { how: "answer", answer: { status, body: body === undefined ? refusal(status) : body, headers } };
  if (kind === "never-answer") return { how: "silence" };
  if (answer === undefined || kind === "lose-answer") return { how: "cut" };
  if (kind === "truncate") return { how: "truncated", answer, bytes };
  return kind === "drip" ? { how: "dripped", answer, seconds } : { how: "answer", answer };
}

/** Waits as long as the delays say that are due before a request takes effect, or after that. */
async function delayed(faults: readonly AnyFault[], when: "before" | "after", { clock, closing }: Faulty) {
  for (const { kind, when: due = "before", seconds = 0 } of faults) {
    if (kind === "delay" && due === when) await clock.sleep(seconds * 1000, closing);
  }
}
