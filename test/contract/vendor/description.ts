import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { z } from "zod";
import { compileSchema } from "../../support/openapi.ts";

type Schema = Record<string, unknown>;

const Described = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
  components: z.object({ schemas: z.record(z.string(), z.unknown()) }),
});
const Operation = z.object({
  operationId: z.string(),
  responses: z.record(
    z.string(),
    z.object({ content: z.record(z.string(), z.object({ schema: z.record(z.string(), z.unknown()) })).optional() }),
  ),
});

/** The vendor's own description: operation → status → the body's schema, null for "not said". */
export type VendorDescription = ReadonlyMap<string, ReadonlyMap<number, Schema | null>>;

const FROM_HERE = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

/** Places of the description; it is not ours to hand on (README.md), so a plain clone has none. */
export const PLACES = [FROM_HERE("shared/vast-openapi.yaml"), FROM_HERE("../shared/vast-openapi.yaml")];

/** The named file, which must be there, or the first of these; undefined on a plain clone. */
export function vendorFile(named = process.env.VENDOR_DESCRIPTION): string | undefined {
  if (named !== undefined && !existsSync(named)) throw new Error(`VENDOR_DESCRIPTION: there is no ${named}.`);
  return named ?? PLACES.find((place) => existsSync(place));
}

/** Reads a description. */
export function readVendorDescription(path: string): VendorDescription {
  const { paths, components } = Described.parse(parse(readFileSync(path, "utf8")));
  const operations = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap((candidate) => Operation.safeParse(candidate).data ?? []);
  return new Map(
    operations.map(({ operationId, responses }) => [operationId, answersOf(responses, components.schemas)]),
  );
}

function answersOf(responses: z.infer<typeof Operation>["responses"], named: Schema): Map<number, Schema | null> {
  const answers = Object.entries(responses).map(([status, { content }]): [number, Schema | null] => {
    const schema = content?.["application/json"]?.schema;
    return [Number(status), schema === undefined ? null : (resolved(schema, named) as Schema)];
  });
  return new Map(answers);
}

/** Puts the named schemas in the place of the references to them. */
function resolved(schema: unknown, named: Schema): unknown {
  if (Array.isArray(schema)) return schema.map((each) => resolved(each, named));
  if (typeof schema !== "object" || schema === null) return schema;
  if ("$ref" in schema) return resolved(named[String(schema.$ref).replace("#/components/schemas/", "")], named);
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, resolved(value, named)]));
}

const checks = new WeakMap<Schema, ReturnType<typeof compileSchema>>();

function compiled(schema: Schema, closed: boolean): ReturnType<typeof compileSchema> {
  const check = checks.get(schema) ?? compileSchema(schema, { closed });
  checks.set(schema, check);
  return check;
}

/** An answer's differences from the description, a sentence each, without numbers of rows. */
export function differences(
  description: VendorDescription,
  name: string,
  answer: { status: number; body: unknown },
): string[] {
  const { status, body } = answer;
  const schema = description.get(name)?.get(status);
  if (schema === undefined) return ["no such status"];
  if (schema === null) return [];
  // Fields that the description does not name count, too, but in refusals, where it names few.
  const check = compiled(schema, status < 400);
  check(body);
  const found = (check.errors ?? []).map(({ instancePath, message, params }) => {
    const place = instancePath.replace(/\/\d+(?=\/|$)/g, "/*");
    return "additionalProperty" in params
      ? `${place}/${params.additionalProperty} is not named`
      : `${place} ${message}`;
  });
  return [...new Set(found)].sort();
}
