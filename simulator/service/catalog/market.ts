import { MarketOffer, type Scenario } from "../../scenario/scenario.ts";
import type { Simulate } from "../../scenario/simulate.ts";
import { type Dialect, type Refusal, refusal } from "../traffic/refusal.ts";

/** An offer of which only the id must be given. */
type GivenOffer = { [Field in keyof MarketOffer]?: MarketOffer[Field] | undefined } & { id: number };

/** Completes an offer, on a machine of its own by default. */
export function completeOffer(given: GivenOffer): MarketOffer {
  const { id, machine_id = 40_000 + id, num_gpus = 1, dph_base = 0.4 } = given;
  return MarketOffer.parse({
    machine_id,
    host_id: 70_000 + (machine_id % 1000),
    // Documentation addresses (RFC 5737): nothing in the simulated market points to a real machine.
    public_ipaddr: `203.0.113.${(machine_id % 250) + 1}`,
    dlperf: 92.5 * num_gpus,
    min_bid: round(dph_base * 0.55),
    score: round(100 / (dph_base + 0.1)),
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
  });
}

function round(price: number): number {
  return Math.round(price * 10_000) / 10_000;
}

const H100 = { gpu_name: "H100 SXM", gpu_ram: 81_559, compute_cap: 900, dlperf: 412.7, hosting_type: 1 } as const;
const RTX_3090 = { gpu_name: "RTX 3090", gpu_ram: 24_576, compute_cap: 860, dlperf: 48.1 };

/**
 * The market without a scenario. For "RTX 4090, at most 0.60 USD, reliable and verified" offers 11
 * to 14 are fit (11 and 13 on one machine), and one each is too dear, unverified, unreliable.
 */
const DEFAULT_MARKET: readonly MarketOffer[] = [
  { id: 11, machine_id: 40_211, dph_base: 0.31 },
  { id: 12, machine_id: 40_305, dph_base: 0.34, geolocation: "Quebec, CA", reliability: 0.9987 },
  { id: 13, machine_id: 40_211, dph_base: 0.36 },
  { id: 14, machine_id: 41_118, dph_base: 0.42, geolocation: ", US", hosting_type: 1 as const },
  { id: 15, machine_id: 42_077, dph_base: 0.89, reliability: 0.9996, hosting_type: 1 as const },
  { id: 16, machine_id: 43_500, dph_base: 0.22, verification: "unverified" as const },
  { id: 17, machine_id: 44_019, dph_base: 0.19, reliability: 0.71, inet_down: 88 },
  { ...RTX_3090, id: 18, machine_id: 45_260, dph_base: 0.18 },
  { ...H100, id: 19, machine_id: 46_731, dph_base: 2.14 },
  { id: 20, machine_id: 47_904, num_gpus: 2, dph_base: 0.74, cpu_cores: 64, cpu_cores_effective: 32 },
].map(completeOffer);

/** The demo's: three machines have an H100 SXM, so that several jobs can ask for one. */
export const DEMO_MARKET: readonly MarketOffer[] = [
  ...DEFAULT_MARKET,
  completeOffer({ ...H100, id: 21, machine_id: 48_112, dph_base: 2.29, geolocation: "Iowa, US" }),
  completeOffer({ ...H100, id: 22, machine_id: 49_377, dph_base: 2.55, geolocation: "Finland, FI" }),
];

/** The status of a create on an offer that is gone; all four were seen of the service. */
export type GoneForm = "404" | "410" | "400" | "200";

/** The refusal of a create because the offer is gone. */
export function goneOffer(id: number, form: GoneForm, dialect: Dialect): Refusal {
  // SPEC-SILENT: status and body of this failure. We take the shape of the seed's other errors.
  if (dialect === "seed") return refusal(Number(form), "not_found", `Offer ${id} is no longer available.`);
  const more = { ask_id: id };
  if (form === "410")
    return refusal(410, "no_such_ask", `error 410/3907: no_such_ask Instance type ${id} is no longer available.`, more);
  const msg = `error ${form}/3603: no_such_ask Instance type by id ${id} is not available.`;
  return refusal(Number(form), "invalid_args", msg, more);
}

/** One offer and what stands behind it. */
export interface Stall {
  readonly offer: MarketOffer;
  readonly simulate: Simulate;
}

/** The offers of one service; which of them are rented, the instances tell. */
export type Market = ReturnType<typeof openMarket>;

/** Opens a market; throws on a scenario that has two offers of one id. */
export function openMarket(offers: Scenario["offers"], openedAt: number) {
  const given = offers?.map(({ simulate = {}, ...offer }) => ({ offer: completeOffer(offer), simulate }));
  const stalls: readonly Stall[] = given ?? DEFAULT_MARKET.map((offer) => ({ offer, simulate: {} }));
  const ids = stalls.map(({ offer }) => offer.id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw new Error(`The scenario has two offers with the id ${twice}.`);
  return {
    ...{ openedAt, stalls },
    find: (id: number) => stalls.find(({ offer }) => offer.id === id),
    /** Any offer of a machine; a plain one of a machine that has none. */
    offerOn: (machine_id: number) =>
      stalls.find(({ offer }) => offer.machine_id === machine_id)?.offer ??
      completeOffer({ id: machine_id, machine_id }),
  };
}
