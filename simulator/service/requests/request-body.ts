import type { IncomingMessage } from "node:http";
import { readBody } from "../../http/read-body.ts";
import { invalidRequest } from "../traffic/refusal.ts";

/** The body of a request, read once. */
export interface RequestBody {
  readonly text: string;
  /** The parsed JSON; undefined where there is none or it can't be parsed. */
  readonly json: unknown;
  readonly isJsonType: boolean;
}

/** Reads a request's body whole. */
export async function readRequestBody(request: IncomingMessage): Promise<RequestBody> {
  const text = await readBody(request);
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

/** The body as the object that operations take, `{}` for none; throws the 400 for the rest. */
export function bodyObject({ text, json, isJsonType }: RequestBody): Readonly<Record<string, unknown>> {
  if (text === "") return {};
  // Seed, Endpoints: bodies need Content-Type: application/json.
  if (!isJsonType) throw invalidRequest("the body needs Content-Type: application/json");
  if (typeof json !== "object" || json === null || Array.isArray(json))
    throw invalidRequest("the body must be a JSON object");
  return { ...json };
}
