import type { KnownError } from "../known-error.ts";
import { createInstance as endpoint } from "../service/endpoints/create-instance.ts";
import { isKeyRefused, type RawAnswer, refusalError } from "../service/judge-status.ts";
import type { InstanceConfig } from "../service/schemas/instance-config.ts";
import type { ServiceClient } from "../service/service-client.ts";
import { NoAnswerError } from "../service/service-errors.ts";
import type { Clock } from "../time/clock.ts";
import { done, lookAt, PENDING } from "../time/poll.ts";
import { type CreateVerdict, judgeCreate } from "./judge-create.ts";
import {
  CreateRefusedError,
  CreateUncertainError,
  NoCreditError,
  TemplateUnknownError,
} from "./provisioning-errors.ts";

/** After a cancel, how long a create that is under way may take to answer. */
const SETTLE_MS = 5000;
/** When to look for an instance whose create gave no answer: a fresh one may not be listed at once. */
const UNCERTAIN_LOOKS_MS = [0, 2000, 5000, 10_000, 20_000, 40_000];
const TOO_FAST_TRIES = 6;
/** Seen: a threshold of 4.5 s, and a penalty of 12 for calling too early. */
const TOO_FAST_PAUSE_MS = 12_000;

/** What a create needs. */
export interface Creating {
  service: ServiceClient;
  clock: Clock;
  signal: AbortSignal;
}

/**
 * How a create ended. `refused`: surely nothing was created, and no other offer would do better; the caller knows what to say of the bill.
 */
export type CreateOutcome =
  | Exclude<CreateVerdict, { kind: "too-fast" | "no-credit" | "no-template" | "refused" }>
  | { kind: "refused"; error: (billing: string) => KnownError };

/** Sends *create instance* for one offer: once, and again only after a 429, which says that it was not carried out. */
export async function createInstance(
  creating: Creating,
  offerId: number,
  config: InstanceConfig,
): Promise<CreateOutcome> {
  for (let attempt = 1; ; attempt += 1) {
    const { verdict, answer } = await send(creating, offerId, config);
    if (verdict.kind !== "too-fast") return outcomeOf(verdict, answer, config);
    if (attempt === TOO_FAST_TRIES) return { kind: "refused", error: refusal(answer, "too many requests") };
    await creating.clock.sleep(TOO_FAST_PAUSE_MS, creating.signal);
  }
}

function outcomeOf(
  verdict: Exclude<CreateVerdict, { kind: "too-fast" }>,
  answer: RawAnswer | undefined,
  { template_hash_id: hash }: InstanceConfig,
): CreateOutcome {
  switch (verdict.kind) {
    case "no-credit":
      return { kind: "refused", error: (billing) => new NoCreditError(verdict.sentence, billing) };
    case "no-template":
    case "refused": {
      const isTemplate = verdict.kind === "no-template" && hash !== undefined;
      const ofTemplate = (billing: string) => new TemplateUnknownError(String(hash), verdict.sentence, billing);
      return { kind: "refused", error: isTemplate ? ofTemplate : refusal(answer, verdict.sentence) };
    }
    default:
      return verdict;
  }
}

async function send(
  creating: Creating,
  offerId: number,
  config: InstanceConfig,
): Promise<{ verdict: CreateVerdict; answer?: RawAnswer }> {
  try {
    const answer = await settling(creating, (way) =>
      creating.service.createInstance(offerId, config, { before: creating.signal, way }),
    );
    return { verdict: judgeCreate(answer), answer };
  } catch (error) {
    if (!(error instanceof NoAnswerError)) throw error;
    return { verdict: { kind: "uncertain", sentence: error.message } };
  }
}

/** Runs a request that a cancel must not cut at once: it gets 5 s more, so that its outcome can be written down. */
async function settling<T>({ clock, signal }: Creating, send: (signal: AbortSignal) => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const cut = new AbortController();
  const settled = new AbortController();
  const onAbort = () => {
    clock.sleep(SETTLE_MS, settled.signal).then(
      () => cut.abort(signal.reason),
      () => {}, // It answered in time; there is nothing left to cut.
    );
  };
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await send(cut.signal);
  } finally {
    signal.removeEventListener("abort", onAbort);
    settled.abort();
  }
}

function refusal(answer: RawAnswer | undefined, sentence: string): (billing: string) => KnownError {
  return (billing) => {
    const isOther = answer && (isKeyRefused(answer.status, sentence) || answer.status === 429);
    return isOther
      ? refusalError(answer, { ...endpoint, route: "PUT /api/v0/asks/{offer_id}/" })
      : new CreateRefusedError(answer?.status ?? 0, sentence, billing);
  };
}

/**
 * Looks for the instance of an uncertain create by its label, several times over 40 s. Undefined: it counts as not carried out. Throws
 * when the service could not even be asked at the end: then nothing else may be rented.
 */
export async function settleUncertain(
  { service, clock, signal }: Creating,
  label: string,
): Promise<number | undefined> {
  let lastFault: unknown;
  const found = await lookAt(
    UNCERTAIN_LOOKS_MS,
    async () => {
      try {
        const instance = (await service.listInstances(signal, label)).find((candidate) => candidate.label === label);
        lastFault = undefined;
        return instance ? done(instance.id) : PENDING;
      } catch (error) {
        signal.throwIfAborted();
        lastFault = error;
        return PENDING;
      }
    },
    { clock, signal },
  );
  if (found === undefined && lastFault !== undefined) throw new CreateUncertainError(label, lastFault);
  return found;
}
