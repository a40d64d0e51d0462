import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { ErrorObject } from "ajv";
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
    z.object({
      content: z
        .record(z.string(), z.object({ schema: z.record(z.string(), z.unknown()), example: z.unknown().optional() }))
        .optional(),
    }),
  ),
});

/** The vendor's own description: operation → status → the body's schema, null for "not said". */
export type VendorDescription = ReadonlyMap<string, ReadonlyMap<number, Schema | null>>;

const FROM_HERE = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

/** Places of the description; it is not ours to hand on (test/README.md), so a plain clone has none. */
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
    const { schema, example } = content?.["application/json"] ?? {};
    return [Number(status), schema === undefined ? null : byExample(resolved(schema, named) as Schema, example)];
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

/** Gives an object whose fields no schema names, as an offer, those of the example. */
function byExample(schema: Schema, example: unknown): Schema {
  const { properties, items } = schema;
  if (isObject(items)) {
    // Its example of offers is one of them and no list.
    return { ...schema, items: byExample(items, Array.isArray(example) ? example[0] : example) };
  }
  if (!isObject(example)) return schema;
  if (!isObject(properties)) return schema.type === "object" ? shapeOf(example) : schema;
  const inner = Object.entries(properties).map(([field, each]) => [field, byExample(each as Schema, example[field])]);
  return { ...schema, properties: Object.fromEntries(inner) };
}

/** The types of an example; null says nothing of one. */
function shapeOf(example: unknown): Schema {
  if (Array.isArray(example)) return { type: "array" };
  if (!isObject(example)) return example === null ? {} : { type: typeof example };
  const properties = Object.entries(example).map(([field, value]) => [field, shapeOf(value)]);
  return { type: "object", properties: Object.fromEntries(properties) };
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
  return [...new Set((check.errors ?? []).map(sentenceOf))].sort();
}

function sentenceOf({ instancePath, keyword, message, params, data }: ErrorObject): string {
  const place = instancePath.replace(/\/\d+(?=\/|$)/g, "/*");
  if (keyword === "additionalProperties") return `${place}/${params.additionalProperty} is not named`;
  if (keyword === "enum") return `${place} can't be ${data}`;
  return keyword === "type" ? `${place} ${message}, not ${kindOf(data)}` : `${place} ${message}`;
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** Fields that the description names and none of these answers has, a sentence each. */
export function neverShown(
  description: VendorDescription,
  name: string,
  status: number,
  bodies: readonly unknown[],
): string[] {
  const schema = description.get(name)?.get(status);
  return schema ? unshown(schema, "", bodies) : [];
}

function unshown(schema: Schema, place: string, bodies: readonly unknown[]): string[] {
  // A type that differs is told as a difference of its own.
  const objects = bodies.filter(isObject);
  const fields = isObject(schema.properties) && objects.length > 0 ? Object.entries(schema.properties) : [];
  const elements = isObject(schema.items) ? bodies.filter(Array.isArray).flat() : [];
  return [
    ...fields.flatMap(([field, inner]) => {
      const shown = objects.filter((body) => Object.hasOwn(body, field)).map((body) => body[field]);
      return shown.length > 0
        ? unshown(inner as Schema, `${place}/${field}`, shown)
        : [`${place}/${field} is never shown`];
    }),
    ...(isObject(schema.items) ? unshown(schema.items, `${place}/*`, elements) : []),
  ];
}

function isObject(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
