import type { z } from "zod";
import { invalidRequest } from "../traffic/refusal.ts";

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
