import { oneLine, withoutKeys, withoutSecrets } from "../../shared/foreign-text.ts";
import { type MarketplaceError, refusalError, UnexpectedAnswerError } from "../errors.ts";
import type { CreateAnswer, Refusal, RefusalCode } from "../marketplace.ts";
import { ENDPOINTS, type Endpoint } from "./endpoints.ts";
import { createAnswerSchema } from "./schemas.ts";

/** One answer as it came: its status, and its body as text and, if it is JSON, as a value. */
export interface RawAnswer {
  status: number;
  text: string;
  json: unknown;
  retryAfter: string | undefined;
  /** When a used up quota is full again, in seconds since the epoch. */
  quotaReset?: string | undefined;
  /** The time of day as the service has it, in words of HTTP. */
  date?: string | undefined;
  /** Where a redirect leads. */
  location?: string | undefined;
}

/** The last moment that a date can have. */
const LAST_MOMENT = 8.64e15;
/** How long a threshold may hold a call back, whose unit is a guess. */
const LONGEST_THRESHOLD_MS = 60_000;
/** How long the service may hold back what shows or ends an instance, which bills meanwhile. */
const LONGEST_RELEASE_WAIT_MS = 30_000;
/** No job waits longer, and no timer counts for ever. */
const LONGEST_STAGE_MS = 6 * 3_600_000;

/** The call that was refused. */
interface Called extends Pick<Endpoint<never, unknown>, "operation" | "permission" | "intervalMs" | "waitsLong"> {
  route?: string;
}

/** Makes the error for an answer that refuses a call. */
export function answerError(answer: RawAnswer, called: Called): MarketplaceError {
  const { operation, permission, route } = called;
  const { status } = answer;
  const sentence = elsewhere(answer) ?? errorSentence(answer.json, answer.text);
  const code = codeOf(status, sentence);
  return refusalError({
    ...{ code, operation, status, sentence, needs: { permission, route } },
    ownWord: answer.json !== undefined,
    waitMs: tooFastWait(answer, called)?.waitMs,
    ...(code === "quota" && { againAt: quotaResetAt(answer) }),
  });
}

const QUOTA = /search_quota_exceeded/i;
/** Words about a refused key that were seen with status 404. Such a 404 never says that anything is gone. */
const KEY_WORDS = /session expired|\bauth_error\b|invalid user key/i;

function codeOf(status: number, sentence: string): RefusalCode {
  if (status === 403) return "permission";
  if (status === 401 || (status < 500 && KEY_WORDS.test(sentence))) return "key";
  if (status === 404) return "not-found";
  if (status === 429) return QUOTA.test(sentence) ? "quota" : "too-fast";
  return status >= 500 ? "fault" : "rejected";
}

/** Returns when the account may search again: at the moment that is named, else at midnight UTC. In milliseconds. */
function quotaResetAt({ date = "", quotaReset }: RawAnswer): number | undefined {
  const at = Number(quotaReset) * 1000;
  if (at > 0 && at < LAST_MOMENT) return at;
  const then = Date.parse(date);
  return Number.isNaN(then) ? undefined : new Date(then).setUTCHours(24, 0, 0, 0);
}

/** Says where a redirect leads, by its origin alone: the whole address may repeat what was sent. */
function elsewhere({ status, location }: RawAnswer): string | undefined {
  if (status < 300 || status > 399 || location === undefined || !URL.canParse(location)) return undefined;
  const { host, origin } = new URL(location);
  return host === "" ? undefined : `it is at ${origin}`;
}

/**
 * Reads how long a 429 asks to wait; undefined for other answers. Without Retry-After its sentence has the threshold.
 * SPEC-SILENT: the unit of that; seconds, as the documentation suggests.
 */
export function tooFastWait(
  answer: RawAnswer,
  { intervalMs, waitsLong = false }: Pick<Called, "intervalMs" | "waitsLong">,
): { waitMs: number } | undefined {
  const sentence = errorSentence(answer.json, answer.text);
  if (answer.status !== 429 || QUOTA.test(sentence)) return undefined;
  const retryAfter = Number(answer.retryAfter) * 1000;
  const threshold = Number(/threshold\D{0,3}(\d+(?:\.\d+)?)/i.exec(sentence)?.[1] ?? 0) * 1000;
  const asked = retryAfter > 0 ? retryAfter : Math.min(LONGEST_THRESHOLD_MS, threshold);
  return { waitMs: Math.min(waitsLong ? LONGEST_STAGE_MS : LONGEST_RELEASE_WAIT_MS, Math.max(asked, intervalMs)) };
}

/** True for an answer whose body says `success: false`, whatever its status. */
export function saysNo({ json }: RawAnswer): boolean {
  return (json as { success?: unknown } | null | undefined)?.success === false;
}

const NO_REASON = "no reason given";

/** Reads a refusal's sentence, in one line: `msg`, `error` and `message`; plain text and `detail` were seen. */
export function errorSentence(body: unknown, text: string): string {
  if (typeof body !== "object" || body === null) return clean(text) || NO_REASON;
  const { msg, message, detail, error: code } = body as Record<string, unknown>;
  const sentence = [msg, message, detail, code].find((value) => typeof value === "string" && value !== "");
  // An unknown body is not shown: it could repeat what was sent.
  if (typeof sentence !== "string") return NO_REASON;
  return clean(typeof code === "string" && code !== sentence ? `${code}: ${sentence}` : sentence);
}

/** Takes keys out of a sentence of the service: a refused create may repeat the environment that was sent. */
function clean(text: string): string {
  return oneLine(withoutKeys(withoutSecrets(text)));
}

/**
 * What an answer to *create instance* says. `unwanted`: refused, and made all the same; destroy it. `refused`: it names
 * no instance; after a ServerError or an UnexpectedAnswerError look for one by its label.
 */
export type CreateReading =
  | { kind: "created"; id: number; instanceApiKey: string | undefined }
  | { kind: "unwanted"; id: number; error: MarketplaceError }
  | { kind: "refused"; error: MarketplaceError };

/** Reads an answer to *create instance*. The id counts first, because errors were seen to carry one, too. */
export function readCreateAnswer(answer: RawAnswer): CreateReading {
  const { new_contract: id, instance_api_key } = createAnswerSchema.safeParse(answer.json).data ?? {};
  const { createInstance } = ENDPOINTS;
  const isYes = answer.status >= 200 && answer.status < 300 && !saysNo(answer);
  if (isYes && id !== undefined) return { kind: "created", id, instanceApiKey: instance_api_key };
  const error = isYes
    ? new UnexpectedAnswerError(createInstance.operation, "it has no instance id")
    : answerError(answer, { ...createInstance, route: "PUT /api/v0/asks/{offer_id}/" });
  return id === undefined ? { kind: "refused", error } : { kind: "unwanted", id, error };
}

/** The meaning of the service's sentences, whatever the status. The first match counts. */
const BY_SENTENCE: readonly { says: RegExp; code: RefusalCode }[] = [
  { says: /insufficient_credit|lacks credit/i, code: "no-credit" },
  { says: /spend_rate_limit/i, code: "spend-rate" },
  { says: /no_such_ask/i, code: "offer-gone" },
  // SPEC-SILENT: the answer to a volume that is unknown, or on another machine. No other offer
  // would do better.
  { says: /\bvolume\b|no_such_volume/i, code: "rejected" },
  // SPEC-SILENT: the answer for an unknown template_hash_id; taken to say "template", and not to be
  // told from a taken offer by its status.
  { says: /template/i, code: "no-template" },
  // SPEC-SILENT: status and body of a taken offer. Seen: 404, 410, 400 and 200 with success:false,
  // recognised by these words.
  { says: /not available|no longer available|no longer rentable/i, code: "offer-gone" },
  // SPEC-SILENT: the sentence for a bid that is too low by now, when nothing was made of it.
  // Another offer may have a lower floor.
  { says: /bid\b.*\b(below|too low|less than|minimum)/i, code: "offer-gone" },
];

/** Translates an answer to *create instance*: whether an instance was made, surely not made, or nobody knows. */
export function judgeCreate(answer: RawAnswer): CreateAnswer {
  const read = readCreateAnswer(answer);
  if (read.kind === "created") return { kind: "created", instanceId: read.id };
  const { refusal } = read.error;
  return read.kind === "unwanted" ? { kind: "unwanted", instanceId: read.id, refusal } : judgeRefusal(refusal);
}

function judgeRefusal(refusal: Refusal): CreateAnswer {
  const { code, ownWord, sentence, status = 0 } = refusal;
  if (status === 429) return { kind: "refused", refusal: { ...refusal, code: "too-fast" } };
  // 408 is a gateway's word that it waited too long: what became of the request is not known.
  if (code === "unreadable" || status >= 500 || status === 408) return { kind: "uncertain", refusal };
  if (code === "key" || code === "permission") return { kind: "refused", refusal };
  const bySentence = BY_SENTENCE.find(({ says }) => says.test(sentence))?.code;
  if (bySentence !== undefined) return { kind: "refused", refusal: { ...refusal, code: bySentence } };
  if (status === 404 || status === 410) return { kind: "refused", refusal: { ...refusal, code: "offer-gone" } };
  // A page that is not the service's own says nothing of what the service did.
  return ownWord ? { kind: "refused", refusal } : { kind: "uncertain", refusal };
}
