import { chargeRows, readChargeQuery } from "../../billing/charges.ts";
import type { Operation } from "../../service-world.ts";
import { notInTheSeed } from "../../traffic/not-in-the-seed.ts";
import { Refusal } from "../../traffic/refusal.ts";

const DEFAULT_LIMIT = 100;

/** `GET /api/v0/charges/`: not in the seed. Charges by contract. SPEC-SILENT: its lag; none. */
export const listCharges: Operation = ({ query }, world) => {
  notInTheSeed(world.dialect);
  const rows = chargeRows(readChargeQuery(query.get("select_filters")), world);
  if (query.get("latest_first") === "false") rows.reverse();
  const limit = readLimit(query.get("limit"));
  const from = readToken(query.get("after_token"));
  const results = rows.slice(from, from + limit);
  const next_token = from + limit < rows.length ? writeToken(from + limit) : null;
  return { status: 200, body: { success: true, count: results.length, total: rows.length, next_token, results } };
};

function readLimit(given: string | null): number {
  const limit = given === null ? DEFAULT_LIMIT : Number(given);
  if (Number.isInteger(limit) && limit > 0) return limit;
  throw new Refusal(400, { error: "invalid_args", msg: "limit must be a positive integer" });
}

function writeToken(from: number): string {
  return Buffer.from(JSON.stringify({ from })).toString("base64url");
}

function readToken(token: string | null): number {
  if (token === null || token === "") return 0;
  try {
    const { from } = JSON.parse(Buffer.from(token, "base64url").toString());
    if (Number.isInteger(from)) return from;
  } catch {
    // Told below, as any other text that is no token.
  }
  throw new Refusal(400, { error: "invalid_token", msg: "Invalid pagination token" });
}
