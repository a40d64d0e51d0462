import { oneLine, withoutKeys } from "../shared/foreign-text.ts";

const NO_REASON = "no reason given";
const SENTENCE_FIELDS = ["msg", "message", "detail", "error"] as const;

/**
 * The sentence of a refusal, in one line. The specification shows `{msg}`, `{success, error, msg}`
 * and `{status, message}`; plain text and `{detail}` were seen as well. Never throws.
 */
export function errorSentence(body: unknown, text: string): string {
  if (typeof body !== "object" || body === null) return told(text) || NO_REASON;
  const fields = body as Record<string, unknown>;
  const sentence = SENTENCE_FIELDS.map((field) => fields[field]).find(
    (value) => typeof value === "string" && value !== "",
  );
  const code = fields.error;
  // An unknown body is not shown: it could repeat what was sent.
  if (typeof sentence !== "string") return NO_REASON;
  return told(typeof code === "string" && code !== sentence ? `${code}: ${sentence}` : sentence);
}

/** A refused create may say the environment that was sent with it. */
function told(text: string): string {
  return oneLine(withoutKeys(text));
}
