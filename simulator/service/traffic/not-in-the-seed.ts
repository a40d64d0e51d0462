import type { Dialect } from "./dialect.ts";
import { Refusal } from "./refusal.ts";

/** Throws the 404 of an address that does not exist, where the service keeps to the letter: what the seed does not show is not there. */
export function notInTheSeed(dialect: Dialect): void {
  if (dialect === "seed") throw new Refusal(404, { error: "not_found", msg: "There is no such path." });
}
