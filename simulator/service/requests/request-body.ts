import type { IncomingMessage } from "node:http";
import { Refusal } from "../traffic/refusal.ts";

/** The body of a request, read once. */
export interface RequestBody {
  readonly text: string;
  /** The parsed JSON; undefined where there is none or it can't be parsed. */
  readonly json: unknown;
  readonly isJsonType: boolean;
}

const MOST_BYTES = 1_000_000;

/** Reads a request's body whole; destroys the connection of one that sends more than a megabyte. */
export async function readRequestBody(request: IncomingMessage): Promise<RequestBody> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) request.destroy(new Error("The request's body is longer than a megabyte."));
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString();
  const isJsonType = /^application\/json\b/i.test(request.headers["content-type"] ?? "");
  return { text, json: parse(text), isJsonType };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Gives the body as the object that every operation takes, `{}` for none; throws the 400 for anything else. */
export function bodyObject({ text, json, isJsonType }: RequestBody): Readonly<Record<string, unknown>> {
  if (text === "") return {};
  // Seed, Endpoints: bodies need Content-Type: application/json.
  if (!isJsonType) throw invalid("the body needs Content-Type: application/json");
  if (typeof json !== "object" || json === null || Array.isArray(json)) throw invalid("the body must be a JSON object");
  return { ...json };
}

function invalid(msg: string): Refusal {
  return new Refusal(400, { error: "invalid_request", msg });
}
