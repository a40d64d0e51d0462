import type { Clock } from "../shared/clock.ts";
import { lookAt } from "../shared/poll.ts";
import type { UserError } from "../shared/user-error.ts";
import { createInstance as endpoint } from "../vast/endpoints/create-instance.ts";
import { isKeyRefused, type RawAnswer, refusalError } from "../vast/judge-status.ts";
import type { InstanceConfig } from "../vast/schemas/instance-config.ts";
import type { ServiceClient } from "../vast/service-client.ts";
import { NoAnswerError } from "../vast/service-errors.ts";
import { CreateRefusedError, LIMIT_OF_NEW_ACCOUNTS, NoCreditError, TemplateUnknownError } from "./create-errors.ts";
import { type CreateVerdict, judgeCreate } from "./judge-create.ts";

/** After a cancel, how long a create that is under way may take to answer. */
const SETTLE_MS = 5000;
/** Looks at the list after a create without an answer: a fresh instance may show late. */
const UNCERTAIN_LOOKS_MS = [0, 2000, 5000, 10_000, 20_000, 40_000];

/** The tools of a create. */
export interface Creating {
  service: Pick<ServiceClient, "createInstance" | "listInstances">;
  clock: Clock;
  signal: AbortSignal;
}

/**
 * JobMatcher fault it is that every other offer would be refused like this one. `spend-rate`: the
 * account's, for as long as it has the machines that it has.
 */
export type RefusedBy = "request" | "account" | "spend-rate";

/** The end of a create. `refused`: no other offer would do; the caller tells of the bill. */
export type CreateOutcome =
  | Exclude<CreateVerdict, { kind: "no-credit" | "spends-too-fast" | "no-template" | "refused" }>
  | { kind: "refused"; by: RefusedBy; sentence: string; error: (billing: string) => UserError };

/** Sends *create instance* once, for one offer. `onSend` is called right before it is sent. */
export async function sendCreate(
  creating: Creating,
  offerId: number,
  config: InstanceConfig,
  onSend: () => void,
): Promise<CreateOutcome> {
  try {
    const answer = await settling(creating, (way) =>
      creating.service.createInstance(offerId, config, { before: creating.signal, way, onSend }),
    );
    return outcomeOf(judgeCreate(answer), answer, config);
  } catch (error) {
    if (!(error instanceof NoAnswerError)) throw error;
    return { kind: "uncertain", sentence: error.message };
  }
}

function outcomeOf(verdict: CreateVerdict, answer: RawAnswer, config: InstanceConfig): CreateOutcome {
  const hash = config.template_hash_id;
  switch (verdict.kind) {
    case "no-credit":
    case "spends-too-fast":
    case "no-template":
    case "refused": {
      const { kind, sentence } = verdict;
      const refused = { kind: "refused", by: "request", sentence } as const;
      if (kind === "no-credit")
        return { ...refused, by: "account", error: (billing) => new NoCreditError(sentence, billing) };
      if (kind === "spends-too-fast") {
        const error = (billing: string) => new NoCreditError(sentence, billing, LIMIT_OF_NEW_ACCOUNTS);
        return { ...refused, by: "spend-rate", error };
      }
      if (kind === "no-template" && hash !== undefined)
        return { ...refused, error: (billing) => new TemplateUnknownError(hash, sentence, billing) };
      if (isKeyRefused(answer.status, sentence))
        return { ...refused, by: "account", error: (billing) => keyRefused(answer).and(billing) };
      return { ...refused, error: (billing) => new CreateRefusedError(answer.status, sentence, billing) };
    }
    default:
      return verdict;
  }
}

/** Gives a cancelled request 5 s more, so that its outcome can be written down. */
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

function keyRefused(answer: RawAnswer): UserError {
  return refusalError(answer, { ...endpoint, route: "PUT /api/v0/asks/{offer_id}/" });
}

/** Looks once; undefined: it is not listed, `unreadable`: the list could not be read. */
export async function findByLabel(
  { service, signal }: Creating,
  label: string,
): Promise<number | "unreadable" | undefined> {
  try {
    return (await service.listInstances(signal, label)).find((instance) => instance.label === label)?.id;
  } catch {
    // Whatever the service says instead of a list is no evidence; only a cancel ends the look.
    signal.throwIfAborted();
    return "unreadable";
  }
}

/** Looks for an uncertain create's instance, for 40 s; undefined: it counts as not carried out. */
export async function settleUncertain(creating: Creating, label: string): Promise<number | undefined> {
  return await lookAt(
    UNCERTAIN_LOOKS_MS,
    async () => {
      const found = await findByLabel(creating, label);
      return typeof found === "number" ? found : undefined;
    },
    creating,
  );
}
