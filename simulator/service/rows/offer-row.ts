import type { MarketOffer } from "../../scenario/market-offer.ts";
import { storagePerHour } from "../catalog/storage-price.ts";

/** One offer as a search sees it: every column of the service, filled in. */
export type OfferRow = Readonly<Record<string, string | number | boolean>>;

/** A row's terms beside the stored offer. */
export interface RowTerms {
  /** Simulated ms since the epoch. */
  now: number;
  /** When the market opened, from which the offers' `duration` counts. */
  openedAt: number;
  /** GB that `dph_total` is priced with. */
  allocatedStorage: number;
  /** Priced as interruptible, at the lowest bid. */
  isBid: boolean;
  rented: boolean;
}

/** Computes all columns of an offer at a time. */
export function offerRow(offer: MarketOffer, terms: RowTerms): OfferRow {
  const { id, num_gpus, gpu_ram, reliability, geolocation, dlperf } = offer;
  const perHour = terms.isBid ? offer.min_bid : offer.dph_base;
  const storage_total_cost = storagePerHour(offer, terms.allocatedStorage);
  const dph_total = perHour + storage_total_cost;
  const end_date = terms.openedAt / 1000 + offer.duration;
  const duration = Math.max(0, end_date - terms.now / 1000);
  return {
    ...offer,
    ask_contract_id: id,
    bundle_id: 900_000 + id,
    gpu_total_ram: gpu_ram * num_gpus,
    geolocation,
    reliability2: reliability,
    dph_base: perHour,
    dph_total,
    discounted_dph_total: dph_total,
    storage_total_cost,
    dlperf_per_dphtotal: dlperf / dph_total,
    is_bid: terms.isBid,
    rented: terms.rented,
    rentable: offer.rentable && !terms.rented,
    start_date: terms.openedAt / 1000 - 86_400,
    end_date,
    duration,
    time_remaining: "",
    resource_type: "gpu",
    ...hostingColumns(offer),
  };
}

function hostingColumns({ machine_id }: MarketOffer) {
  // Columns that no client needs are there as in the service, so that a client must tolerate them.
  return {
    mobo_name: "ROME2D32GM-2T",
    os_version: "22.04",
    pci_gen: 4,
    pcie_bw: 24.3,
    gpu_max_power: 450,
    gpu_display_active: false,
    has_avx: 1,
    vms_enabled: false,
    vericode: 1,
    cluster_id: machine_id % 7,
    webpage: "",
  };
}

/** The fields that the seed shows of an offer; in its dialect an answer has these and no others. */
const SEED_FIELDS = [
  "id",
  "num_gpus",
  "gpu_name",
  "dph_total",
  "reliability",
  "rentable",
  "gpu_ram",
  "direct_port_count",
  "dlperf_per_dphtotal",
  "cuda_max_good",
] as const;

/** An offer by the letter of the seed, whose `verified` is a boolean. */
export function seedOffer(row: OfferRow): Record<string, unknown> {
  const shown = SEED_FIELDS.map((field) => [field, row[field]]);
  return { ...Object.fromEntries(shown), verified: row.verification === "verified" };
}
