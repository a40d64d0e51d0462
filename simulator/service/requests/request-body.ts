import type { IncomingMessage } from "node:http";
import { z } from "zod";
import { readBody } from "../../http/read-body.ts";
import { invalidRequest, Refusal } from "../traffic/refusal.ts";

/** Reads a query's parameter as JSON of that shape; undefined without it. Throws the 400. */
export function readJson<Shape extends z.ZodType>(
  query: URLSearchParams,
  name: string,
  shape: Shape,
): z.output<Shape> | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  try {
    return shape.parse(JSON.parse(text));
  } catch {
    throw invalidRequest(`${name} can't be read`);
  }
}

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

const Body = z.looseObject({ ssh_key: z.string().regex(/^(ssh-(rsa|ed25519|dss)|ecdsa-sha2-\S+|sk-\S+) \S+/) });

/** Reads the public key of a body; throws the service's 400 for none. */
export function readSshKey(body: Readonly<Record<string, unknown>>): string {
  const given = Body.safeParse(body).data;
  // SPEC-SILENT: whether the form of a key is checked; only that one must be there is known.
  if (!given) throw new Refusal(400, { error: "no_ssh_key", msg: "ssh_key must be a public key." });
  return given.ssh_key;
}

/** The 400, as described, for a key that the account does not have. */
export function missingSshKey(): Refusal {
  return new Refusal(400, { error: "no_ssh_key", msg: "No ssh key provided" });
}
