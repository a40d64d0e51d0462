import { type Dispatcher, request } from "undici";

/** One answer, whatever its status. */
export interface Answer {
  status: number;
  /** Without parameters, in small letters. */
  contentType: string;
  challenge: string;
  json: unknown;
}

/** A manifest is some kilobytes; an index of many platforms some dozen. */
const MOST_BYTES = 1_000_000;

/** Asks once; follows no redirect. Throws when no whole answer comes, or one that is too long. */
export async function get(
  url: URL,
  headers: Record<string, string>,
  { dispatcher, signal }: { dispatcher: Dispatcher; signal: AbortSignal },
): Promise<Answer> {
  const answer = await request(url, { method: "GET", headers, signal, dispatcher });
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer.body) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw new Error("an answer is longer than a megabyte");
    chunks.push(chunk);
  }
  return {
    status: answer.statusCode,
    contentType: text(answer.headers["content-type"]).replace(/;.*$/, "").trim().toLowerCase(),
    challenge: bearerFirst(answer.headers["www-authenticate"]),
    json: parse(Buffer.concat(chunks).toString()),
  };
}

function text(header: string | string[] | undefined): string {
  return (Array.isArray(header) ? header[0] : header) ?? "";
}

/** A registry may take several schemes, each in a header of its own. */
function bearerFirst(header: string | string[] | undefined): string {
  const all = [header ?? ""].flat();
  return all.find((each) => /^bearer\b/i.test(each)) ?? all[0] ?? "";
}

/** Not JSON is an answer like any other here: the caller says that it is no manifest. */
function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
