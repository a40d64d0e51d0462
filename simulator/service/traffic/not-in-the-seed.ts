import type { Dialect } from "./dialect.ts";
import { Refusal } from "./refusal.ts";

/** Throws an unknown address's 404 in the seed's dialect: it has only what the seed shows. */
export function notInTheSeed(dialect: Dialect): void {
  if (dialect === "seed") throw new Refusal(404, { error: "not_found", msg: "There is no such path." });
}
