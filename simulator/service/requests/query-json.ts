import type { z } from "zod";
import { invalidRequest } from "../traffic/refusal.ts";

/** Reads a parameter of a query as JSON of that shape; undefined without it, else throws the 400. */
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
