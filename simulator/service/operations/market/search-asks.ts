import { z } from "zod";
import type { Operation } from "../../service-world.ts";
import { notInTheSeed } from "../../traffic/not-in-the-seed.ts";
import { invalidRequest } from "../../traffic/refusal.ts";
import { searchOffers } from "./search-offers.ts";

const Body = z.strictObject({ select_cols: z.array(z.string()).optional(), q: z.record(z.string(), z.unknown()) });

/** `PUT /api/v0/search/asks/`: not in the seed. The same search by `q`, answered in all columns. */
export const searchAsks: Operation = (call, world) => {
  notInTheSeed(world.dialect);
  const given = Body.safeParse(call.body).data;
  if (!given) throw invalidRequest("q is needed");
  return searchOffers({ ...call, body: given.q }, world);
};
