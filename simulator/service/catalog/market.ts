import { createHash } from "node:crypto";
import { type CompleteScenario, MarketOffer } from "../../scenario/scenario.ts";
import {
  bootSteps,
  type DrawnMarket,
  type HostModel,
  type Simulate,
  type StatusStep,
} from "../../scenario/simulate.ts";
import { type Dialect, type Refusal, refusal } from "../traffic/refusal.ts";
import { HOURS_PER_MONTH } from "./volumes.ts";

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

/** Draws numbers by the seed and their purpose alone: neither by their order nor by the clock. */
function drawsOf(seed: number) {
  type Purpose = readonly (string | number)[];
  /** From 0 up to, but not, 1. */
  const unit = (...what: Purpose) =>
    createHash("sha256")
      .update([seed, ...what].join("/"))
      .digest()
      .readUIntBE(0, 6) /
    2 ** 48;
  return {
    unit,
    /** Evenly between two numbers. */
    between: (low: number, high: number, ...what: Purpose) => low + (high - low) * unit(...what),
    /** Standard normal (Box and Muller). */
    normal(...what: Purpose): number {
      const radius = Math.sqrt(-2 * Math.log(1 - unit(...what, "radius")));
      return radius * Math.cos(2 * Math.PI * unit(...what, "angle"));
    },
  };
}

type Draws = ReturnType<typeof drawsOf>;

/** Of so many offers someone else takes the machine first. */
const GONE_SHARE = 0.1;
const FIRST_ID = 101;
const FIRST_MACHINE = 60_001;

/** Draws the offers with what stands behind them; the same seed gives the same market. */
export function drawMarket({ offers, ...model }: DrawnMarket): { offer: MarketOffer; simulate: Simulate }[] {
  const draws = drawsOf(model.seed);
  return Array.from({ length: offers }, (_, index) => {
    const simulate: Simulate = { model, unavailable: draws.unit("gone", index) < GONE_SHARE };
    return { offer: drawOffer(draws, index), simulate };
  });
}

function drawOffer(draws: Draws, index: number): MarketOffer {
  return completeOffer({
    id: FIRST_ID + index,
    machine_id: FIRST_MACHINE + index,
    dph_base: round(clipped(0.35 * Math.exp(0.25 * draws.normal("price", index)), 0.18, 0.6)),
    inet_down: Math.round(clipped(800 * Math.exp(0.7 * draws.normal("speed", index)), 200, 5000)),
    // The model counts 730 hours a month.
    storage_cost: round((draws.between(0.05, 0.3, "storage", index) / 730) * HOURS_PER_MONTH),
    inet_down_cost: draws.unit("free bytes", index) < 0.3 ? 0 : round(draws.between(0.002, 0.02, "bytes", index)),
  });
}

function clipped(number: number, low: number, high: number): number {
  return Math.min(Math.max(number, low), high);
}

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

/** Opens a market; throws on a scenario that both lists offers and has them drawn, or has two of one id. */
export function openMarket({ offers, market }: Pick<CompleteScenario, "offers" | "market">, openedAt: number) {
  if (offers && market) throw new Error("The scenario has offers and a market that is drawn: only one of them can be.");
  const given = offers?.map(({ simulate = {}, ...offer }) => ({ offer: completeOffer(offer), simulate }));
  const drawn = market && drawMarket(market);
  const stalls: readonly Stall[] = given ?? drawn ?? DEFAULT_MARKET.map((offer) => ({ offer, simulate: {} }));
  const ids = stalls.map(({ offer }) => offer.id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw new Error(`The scenario has two offers with the id ${twice}.`);
  return {
    ...{ openedAt, stalls },
    find: (id: number) => stalls.find(({ offer }) => offer.id === id),
    /** Any offer of a machine. */
    offerOn: (machineId: number) => stalls.find(({ offer }) => offer.machine_id === machineId)?.offer,
  };
}

/** A boot's outcome on a host. */
export interface Fate {
  /** For people: `boots in 143 s`. */
  readonly words: string;
  readonly statuses: readonly StatusStep[];
  readonly machine: Simulate["machine"];
  /** GB that it downloads for the image. */
  readonly imageGb: number;
}

/** A boot of which the market decides, beside the seed. */
interface Boot {
  readonly offer: Pick<MarketOffer, "machine_id" | "inet_down">;
  /** Which boot on this machine it is, from 1. */
  readonly nth: number;
  /** The host has the image already: nothing is downloaded. */
  readonly hasImage: boolean;
}

const PULLING = "5a7813e071bf: Pulling fs layer \n";
/** Of the hosts that never become ready, those that reach running, bill, and are not heard of. */
const SILENT_SHARE = 0.3;

/** Draws what becomes of a boot; the same seed, machine and number give the same. */
export function drawFate({ seed, broken, imageGb }: HostModel, boot: Boot): Fate {
  const draws = drawsOf(seed);
  const { machine_id } = boot.offer;
  const cached = () => draws.between(30, 60, "cached", machine_id, boot.nth);
  const seconds = Math.round(boot.hasImage ? cached() : pulledBoot(draws, boot, imageGb));
  const good = { statuses: stepsTo(seconds), machine: {}, imageGb: boot.hasImage ? 0 : imageGb };
  if (draws.unit("broken", machine_id) >= broken) {
    return { ...good, words: `boots in ${seconds} s${boot.hasImage ? ", has the image already" : ""}` };
  }
  if (draws.unit("ends", machine_id) < 0.5) return ending(Math.round(draws.between(60, 180, "end", machine_id)));
  if (draws.unit("silent", machine_id) >= SILENT_SHARE) return STUCK;
  return { ...good, machine: { onstart: "skip" }, words: `broken: runs after ${seconds} s, and is never heard of` };
}

const STUCK: Fate = {
  words: "broken: never gets beyond loading",
  statuses: bootSteps([2, "loading", PULLING]),
  machine: {},
  imageGb: 0,
};

function ending(seconds: number): Fate {
  const status_msg = "Error response from daemon: OCI runtime create failed: container_linux.go:380 \n";
  const statuses = [...STUCK.statuses, ...bootSteps([seconds, "exited", status_msg])];
  return { ...STUCK, statuses, words: `broken: exits after ${seconds} s` };
}

/** Provisioning, then the download at the host's own pace, then unpacking at 20 s a GB. */
function pulledBoot(draws: Draws, { offer, nth }: Boot, imageGb: number): number {
  const { machine_id, inet_down } = offer;
  const base = imageGb * (16_000 / inet_down + 20);
  const host = Math.exp(0.4 * draws.normal("host", machine_id));
  const pull = Math.exp(0.3 * draws.normal("pull", machine_id, nth));
  return draws.between(10, 30, "provisioning", machine_id, nth) + base * host * pull;
}

function stepsTo(seconds: number): StatusStep[] {
  const created = Math.min(5, seconds / 4);
  return bootSteps(
    [created, "created"],
    [2 * created, "loading", PULLING],
    [seconds, "running", "success, running image"],
  );
}
