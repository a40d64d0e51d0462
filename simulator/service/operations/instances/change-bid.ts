import { z } from "zod";
import { missingInstance } from "../../rentals/missing-instance.ts";
import type { Operation } from "../../service-world.ts";
import { notInTheSeed } from "../../traffic/not-in-the-seed.ts";
import { Refusal } from "../../traffic/refusal.ts";

const Body = z.strictObject({ client_id: z.literal("me").nullish(), price: z.number().min(0.001).max(128) });

/** `PUT /api/v0/instances/bid_price/{instance_id}/`: not in the seed. GPUs bill it from now on. */
export const changeBid: Operation = ({ id, body }, { dialect, rentals }) => {
  notInTheSeed(dialect);
  const given = Body.safeParse(body).data;
  if (!given) throw new Refusal(400, { error: "invalid_args", msg: "price must be from 0.001 to 128 USD per hour" });
  const record = rentals.find(id);
  if (!record) throw missingInstance(id, dialect);
  // SPEC-SILENT: the answer for an instance that is not interruptible, and a bid below the floor.
  if (record.bids.length === 0) throw new Refusal(400, { error: "invalid_args", msg: "not an interruptible instance" });
  if (given.price < record.offer.min_bid) {
    throw new Refusal(400, { error: "invalid_args", msg: "error 400/3731: the bid is below the minimum." });
  }
  rentals.bid(record, given.price);
  return { status: 200, body: { success: true } };
};
