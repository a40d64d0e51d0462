import { createHash } from "node:crypto";
import type { Answer } from "./answer.ts";

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
