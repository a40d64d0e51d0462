import type { HttpClient } from "../shared/http-client.ts";
import { readJson } from "../shared/json.ts";

/** One answer, whatever its status. */
export interface Answer {
  status: number;
  /** Without parameters, in small letters. */
  contentType: string;
  challenge: string;
  json: unknown;
}

/** A manifest is some kilobytes; an index of many platforms some dozen. */
export const MOST_BYTES = 1_000_000;

/** Asks once; follows no redirect. Throws when no whole answer comes. */
export async function get(
  url: URL,
  headers: Record<string, string>,
  { way, signal }: { way: HttpClient; signal: AbortSignal },
): Promise<Answer> {
  const answer = await way.send(url, { method: "GET", headers, signal });
  return {
    status: answer.statusCode,
    contentType: text(answer.headers["content-type"]).replace(/;.*$/, "").trim().toLowerCase(),
    challenge: bearerFirst(answer.headers["www-authenticate"]),
    json: readJson(await answer.body.text()),
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
