import { formatPrice } from "../money/format-price.ts";
import { lowestBid } from "./bid-price.ts";
import type { OfferRule } from "./offer-rules.ts";

/** A volume is a part of one machine. No field of the service's: its name is ours, so that no filter takes it over. */
export const VOLUME_RULE: OfferRule = {
  field: "volume",
  remedy: { verb: "Change", input: "volume-id" },
  broken: ({ machine_id }, { machine }) => machine !== undefined && machine_id !== undefined && machine_id !== machine,
  why: (_offer, { machine }) => `the volume is on machine ${machine}`,
};

/** A bid below the lowest makes a stopped instance, which bills its disk. */
export const BID_RULE: OfferRule = {
  field: "lowest_bid",
  remedy: { verb: "Raise", input: "bid-price" },
  // `!(a >= b)` and not `a < b`: a bid that is not a number must not pass.
  broken: (offer, { bid, diskGb }) => bid?.price !== undefined && !(bid.price >= lowestBid(offer, diskGb)),
  why: (offer, { diskGb }) => `the lowest bid is ${formatPrice(lowestBid(offer, diskGb))}`,
  measure: (offer, { diskGb }) => -lowestBid(offer, diskGb),
};
