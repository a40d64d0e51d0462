import { z } from "zod";

/** A market's hosts, drawn: most are good, some broken, and all boot in times of their own. */
export const HostModel = z.strictObject({
  seed: z.int(),
  /** GB of the image, compressed. */
  imageGb: z.number().min(0).default(3.5),
  /** The share of broken hosts: half of them end, the others never become ready. */
  broken: z.number().min(0).max(1).default(0.2),
});

/** How hosts are drawn. */
export type HostModel = z.output<typeof HostModel>;

/** A whole market that is drawn: offers at all prices, on hosts of all kinds. */
export const DrawnMarket = HostModel.extend({ offers: z.int().min(1).max(64).default(40) });

/** A whole market that is drawn. */
export type DrawnMarket = z.output<typeof DrawnMarket>;
