import { z } from "zod";
import type { GivenVolume, MarketOffer, VolumeOffer } from "../../scenario/scenario.ts";
import { invalidArgs, refusal } from "../traffic/refusal.ts";

/** SPEC-SILENT: hours of the month in which `storage_cost` is given; we take 30 days. */
export const HOURS_PER_MONTH = 720;

/** USD per hour for that many GB on this offer. */
export function storagePerHour(offer: Pick<MarketOffer, "storage_cost">, gigabytes: number): number {
  return (offer.storage_cost * gigabytes) / HOURS_PER_MONTH;
}

/** The name of a volume. */
export const VolumeName = z.string().regex(/^[A-Za-z0-9_]{1,64}$/);

const volumeFields = {
  create_new: z.boolean(),
  volume_id: z.int().positive(),
  size: z.number().positive().optional(),
  mount_path: z.string().regex(/^\/\S+$/),
};
const hasSize = ({ create_new, size }: { create_new: boolean; size?: number | undefined }) =>
  !create_new || size !== undefined;
const NO_SIZE = { error: "size is needed with create_new" };

/** Seed, Volume configuration. SPEC-SILENT: the required fields; all but an existing one's size. */
export const SeedVolumeInfo = z.strictObject(volumeFields).refine(hasSize, NO_SIZE);

/** Observed: the official client sends a name beside. */
export const ObservedVolumeInfo = z
  .strictObject({ ...volumeFields, name: VolumeName.optional() })
  .refine(hasSize, NO_SIZE);

/** The volume that a create asks for. */
export type VolumeInfo = z.infer<typeof ObservedVolumeInfo>;

/** A volume: disk on one machine, which bills from creation to deletion, whoever uses it. */
export interface VolumeRecord extends GivenVolume {
  /** Simulated ms since the epoch, like `deletedAt`. */
  readonly createdAt: number;
  deletedAt: number | undefined;
}

/** Every volume there ever was, and the room for more. */
export class Volumes {
  readonly offers: readonly VolumeOffer[];
  readonly records: VolumeRecord[];
  readonly #now: () => number;

  constructor(offers: readonly VolumeOffer[], given: readonly GivenVolume[], now: () => number) {
    this.offers = offers;
    this.#now = now;
    this.records = given.map((volume) => ({ ...volume, createdAt: now(), deletedAt: undefined }));
  }

  /** The volume, if it exists. */
  find(id: number): VolumeRecord | undefined {
    return this.records.find((volume) => volume.id === id && volume.deletedAt === undefined);
  }

  /** All that exist. */
  existing(): VolumeRecord[] {
    return this.records.filter(({ deletedAt }) => deletedAt === undefined);
  }

  /** GB that an offer still has: several volumes may be made of one. */
  freeSpace(offer: VolumeOffer): number {
    const taken = this.existing().filter(({ machine_id }) => machine_id === offer.machine_id);
    return offer.disk_space - taken.reduce((sum, { disk_space }) => sum + disk_space, 0);
  }

  /** Makes a volume of an offer; throws the service's 400 or 404: no such offer, or no room. */
  create(offerId: number, size: number, name: string | null = null): VolumeRecord {
    const offer = this.roomFor(offerId, size);
    const { machine_id, storage_cost } = offer;
    const id = 8_001_001 + this.records.length;
    const made = { id, machine_id, storage_cost, disk_space: size, name, createdAt: this.#now(), deletedAt: undefined };
    this.records.push(made);
    return made;
  }

  /** The offer that has room for a volume of so many GB. */
  roomFor(offerId: number, size: number): VolumeOffer {
    const offer = this.offers.find(({ id }) => id === offerId);
    // SPEC-SILENT: the answers to an unknown volume offer and to a size that does not fit.
    if (!offer) throw refusal(404, "no_such_ask", `Volume offer ${offerId} is not available.`);
    if (size > this.freeSpace(offer)) throw invalidArgs(`volume offer ${offerId} has no room for ${size} GB`);
    return offer;
  }

  delete(volume: VolumeRecord): void {
    volume.deletedAt = this.#now();
  }

  /** USD for a volume since its creation. */
  cost(volume: VolumeRecord): number {
    const hours = ((volume.deletedAt ?? this.#now()) - volume.createdAt) / 3_600_000;
    return hours * storagePerHour(volume, volume.disk_space);
  }

  /** USD for all volumes since their creation. */
  total(): number {
    return this.records.reduce((sum, volume) => sum + this.cost(volume), 0);
  }

  /** The bill of each existing volume. */
  billingNow() {
    return this.existing().map((volume) => ({
      id: volume.id,
      machine_id: volume.machine_id,
      storagePerHour: storagePerHour(volume, volume.disk_space),
    }));
  }
}

/** Room for volumes without a word in the scenario: as much on each machine as it has disk. */
export function defaultVolumeOffers(market: readonly MarketOffer[]): VolumeOffer[] {
  const machines = new Map(market.map((offer) => [offer.machine_id, offer]));
  return [...machines.values()].map(({ machine_id, disk_space, storage_cost }) => ({
    id: 5_000_000 + machine_id,
    machine_id,
    disk_space,
    storage_cost,
  }));
}
