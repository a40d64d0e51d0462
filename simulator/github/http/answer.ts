import { createHash } from "node:crypto";

/** An answer to a request; a body is sent as JSON, text and bytes as they are. */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

/** Answers with a JSON body. */
export function json(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return { status, body, headers };
}

/** Refuses in GitHub's form: a message, where to read, and the status once more as text. */
export function refusal(status: number, message: string, headers: Record<string, string> = {}): Answer {
  const documentation_url = "https://docs.github.com/rest";
  return { status, body: { message, documentation_url, status: String(status) }, headers };
}

/** Refuses what is not there, and what the caller may not know to be there. */
export function notFound(): Answer {
  return refusal(404, "Not Found");
}

/** Adds the ETag of a body; becomes 304 without a body when the caller already has it. */
export function conditional(answer: Answer, ifNoneMatch: string | undefined): Answer {
  if (answer.status !== 200) return answer;
  const etag = `W/"${createHash("sha256").update(JSON.stringify(answer.body)).digest("hex")}"`;
  const headers = { ...answer.headers, etag };
  if (ifNoneMatch !== undefined && isListed(etag, ifNoneMatch)) return { status: 304, headers };
  return { ...answer, headers };
}

/** RFC 9110: If-None-Match compares weakly, so the prefix W/ does not matter. */
function isListed(etag: string, ifNoneMatch: string): boolean {
  const bare = (tag: string) => tag.trim().replace(/^W\//, "");
  return ifNoneMatch.split(",").some((tag) => bare(tag) === "*" || bare(tag) === bare(etag));
}
