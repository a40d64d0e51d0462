import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Ajv, type ValidateFunction } from "ajv";
import { z } from "zod";

export type Schema = Record<string, unknown>;

/** One operation: status → its JSON body's schema; null where the answer has no body. */
export type PublishedAnswers = ReadonlyMap<number, Schema | null>;

const Description = z.object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) });
const Content = z.object({ schema: z.record(z.string(), z.unknown()), example: z.unknown().optional() });
const Operation = z.object({
  operationId: z.string(),
  responses: z.record(z.string(), z.object({ content: z.record(z.string(), Content).optional() })),
});

/** Reads GitHub's description (73 MB, so once), and keeps the named operations' answers. */
export function readGithubDescription(operationIds: readonly string[]): Map<string, PublishedAnswers> {
  const path = createRequire(import.meta.url).resolve("@octokit/openapi/generated/api.github.com.deref.json");
  const all = readAnswers(JSON.parse(readFileSync(path, "utf8")), ({ schema }) => schema);
  return new Map([...all].filter(([id]) => operationIds.includes(id)));
}

/** What a description says of the answers of each operation; `schemaOf` may complete a schema. */
export function readAnswers(
  description: unknown,
  schemaOf: (content: z.infer<typeof Content>) => Schema,
): Map<string, PublishedAnswers> {
  const { paths } = Description.parse(description);
  const candidates = Object.values(paths).flatMap((methods) => Object.values(methods));
  const operations = candidates.flatMap((candidate) => Operation.safeParse(candidate).data ?? []);
  return new Map(
    operations.map(({ operationId, responses }) => {
      const answers = Object.entries(responses).map(([status, { content }]): [number, Schema | null] => {
        const json = content?.["application/json"];
        return [Number(status), json === undefined ? null : schemaOf(json)];
      });
      return [operationId, new Map(answers)];
    }),
  );
}

/** Compiles a schema of an OpenAPI 3.0 description into a check. */
export function compileSchema(schema: Schema, options: { closed: boolean }): ValidateFunction {
  const ajv = new Ajv({ allErrors: true, strict: false, verbose: true });
  ajv.addFormat("date-time", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/);
  ajv.addFormat("uri", (text: string) => URL.canParse(text));
  ajv.addFormat("email", /^[^@\s]+@[^@\s]+$/);
  for (const format of ["int64", "float", "double", "timestamp", "repo.nwo"]) ajv.addFormat(format, true);
  return ajv.compile(toJsonSchema(schema, options));
}

/**
 * Turns an OpenAPI 3.0 schema into a JSON schema: `nullable` becomes the type null. `closed`
 * refuses fields that are not described, so that nothing is invented.
 */
function toJsonSchema({ nullable, ...schema }: Schema, options: { closed: boolean }): Schema {
  const inner = Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [keyword, subschemasOf(keyword, value, options)]),
  );
  const open = inner.properties === undefined || inner.additionalProperties !== undefined;
  const closed = options.closed && !open ? { ...inner, additionalProperties: false } : inner;
  return nullable === true ? { anyOf: [{ type: "null" }, closed] } : closed;
}

function subschemasOf(keyword: string, value: unknown, options: { closed: boolean }): unknown {
  const inner = (each: unknown) => (isSchema(each) ? toJsonSchema(each, options) : each);
  if (keyword === "items" || keyword === "additionalProperties") return inner(value);
  if (keyword === "properties" && isSchema(value))
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inner(each)]));
  // A combination's parts each name only some fields: none of them may close the object.
  if (["allOf", "anyOf", "oneOf"].includes(keyword) && Array.isArray(value))
    return value.filter(isSchema).map((part) => toJsonSchema(part, { closed: false }));
  return value;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
