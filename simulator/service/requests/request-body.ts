import type { IncomingMessage } from "node:http";
import type { z } from "zod";
import { parseJson, readBody } from "../../http/read-body.ts";
import { invalidArgs, invalidRequest, type Refusal, refusal } from "../traffic/refusal.ts";

/** A request's body, or its parsed part. */
export type Body = Readonly<Record<string, unknown>>;

/** The body of a request, read once. */
export type RequestBody = Awaited<ReturnType<typeof readRequestBody>>;

/** Reads a request's body whole; its JSON is undefined where there is none or it can't be parsed. */
export async function readRequestBody(request: IncomingMessage) {
  const text = await readBody(request);
  const isJsonType = /^application\/json\b/i.test(request.headers["content-type"] ?? "");
  return { text, json: parseJson(text), isJsonType };
}

/** The body as the object that operations take, `{}` for none; throws the 400 for the rest. */
export function bodyObject({ text, json, isJsonType }: RequestBody): Body {
  if (text === "") return {};
  // Seed, Endpoints: bodies need Content-Type: application/json.
  if (!isJsonType) throw invalidRequest("the body needs Content-Type: application/json");
  if (typeof json !== "object" || json === null || Array.isArray(json))
    throw invalidRequest("the body must be a JSON object");
  return { ...json };
}

/** Reads a body of that shape; throws `otherwise`, or a 400 with these words. */
export function readAs<Shape extends z.ZodType>(shape: Shape, body: unknown, otherwise: string | Refusal) {
  const read = shape.safeParse(body);
  if (read.success) return read.data as z.output<Shape>;
  throw typeof otherwise === "string" ? invalidArgs(otherwise) : otherwise;
}

/** Reads a query's parameter as JSON of that shape; undefined without it. Throws the 400. */
export function readJson<Shape extends z.ZodType>(query: URLSearchParams, name: string, shape: Shape) {
  const text = query.get(name);
  return text === null ? undefined : readAs(shape, parseJson(text), invalidRequest(`${name} can't be read`));
}

/** Reads a body field by field; throws the 400 that names each fault. */
export function readFields<Shape extends z.ZodType>(
  shape: Shape,
  body: Body,
  errorOf: (error: z.ZodError) => string = () => "invalid_args",
): z.output<Shape> {
  const parsed = shape.safeParse(body);
  if (parsed.success) return parsed.data;
  // Only names and reasons: values may be secrets.
  const sentences = parsed.error.issues.map(({ path, message }) =>
    [path.join("."), message].filter(Boolean).join(": "),
  );
  throw refusal(400, errorOf(parsed.error), sentences.join("; "));
}

/** The official client sends null for what was not given; the seed shows no null. */
export function withoutNulls(body: Body): Body {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}
