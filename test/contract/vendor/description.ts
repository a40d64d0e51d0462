import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { ErrorObject } from "ajv";
import { parse } from "yaml";
import { compileSchema, type PublishedAnswers, readAnswers, type Schema } from "../../support/openapi.ts";

/** The vendor's own description: operation → status → the body's schema, null for "not said". */
export type VendorDescription = ReadonlyMap<string, PublishedAnswers>;

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
  const description = parse(readFileSync(path, "utf8"));
  const named = description.components.schemas;
  return readAnswers(description, ({ schema, example }) => byExample(resolved(schema, named) as Schema, example));
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

function isObject(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
