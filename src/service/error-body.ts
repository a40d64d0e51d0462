import { oneLine } from "../foreign-text.ts";

const SENTENCE_FIELDS = ["msg", "message", "detail", "error"] as const;

/**
 * The sentence of a refusal, in one line. The specification shows `{msg}`, `{success, error, msg}` and `{status, message}`;
 * plain text and `{detail}` were seen as well. Never throws.
 */
export function errorSentence(body: unknown, text: string): string {
  if (typeof body === "object" && body !== null) {
    const fields = body as Record<string, unknown>;
    const sentence = SENTENCE_FIELDS.map((field) => fields[field]).find(
      (value) => typeof value === "string" && value !== "",
    );
    const code = fields.error;
    if (typeof sentence === "string")
      return oneLine(typeof code === "string" && code !== sentence ? `${code}: ${sentence}` : sentence);
  }
  return oneLine(text) || "no reason given";
}
