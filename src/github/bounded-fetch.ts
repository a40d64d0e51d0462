import type { getOctokit } from "@actions/github";
import { isTooDeep } from "../shared/json.ts";

/** The longest answer that is read: a page of a hundred jobs has some 500 KB. */
const MOST_GITHUB_BYTES = 4_000_000;

/** Wraps what octokit sends requests by, with its proxy, so that an answer that is too long or too deep is no answer. */
export function boundedFetch(octokit: ReturnType<typeof getOctokit>): typeof fetch {
  const send: typeof fetch = octokit.request.endpoint.DEFAULTS.request?.fetch ?? fetch;
  return async (...request) => {
    const answer = await send(...request);
    const { headers, status } = answer;
    if (answer.body === null) return answer;
    const text = await wholeText(answer.body);
    if (isTooDeep(text)) throw new Error("its answer is nested too deep");
    return new Response(text, { headers, status });
  };
}

/** Reads a body to its end. Throws, and leaves the rest unread, where it is too long. */
async function wholeText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes > MOST_GITHUB_BYTES) throw new Error(`its answer has more than ${MOST_GITHUB_BYTES / 1e6} MB`);
  }
  return Buffer.concat(chunks).toString();
}
