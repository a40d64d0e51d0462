import { z } from "zod";
import type { SimClock } from "../../clock/sim-clock.ts";
import type { CompleteScenario, GivenVolume, MarketOffer, VolumeOffer } from "../../scenario/scenario.ts";
import { invalidArgs, refusal } from "../traffic/refusal.ts";

/** SPEC-SILENT: hours of the month in which `storage_cost` is given; we take 30 days. */
const HOURS_PER_MONTH = 720;

/** USD per hour for that many GB on this offer. */
export function storagePerHour(offer: Pick<MarketOffer, "storage_cost">, gigabytes: number): number {
  return (offer.storage_cost * gigabytes) / HOURS_PER_MONTH;
}

/** The name of a volume. */
export const VolumeName = z.string().regex(/^[A-Za-z0-9_]{1,64}$/);

const VolumeFields = z.strictObject({
  create_new: z.boolean(),
  volume_id: z.int().positive(),
  size: z.number().positive().optional(),
  mount_path: z.string().regex(/^\/\S+$/),
});

function sized<Shape extends typeof VolumeFields>(shape: Shape) {
  const error = "size is needed with create_new";
  return shape.refine(({ create_new, size }) => !create_new || size !== undefined, { error });
}

/** Seed, Volume configuration. SPEC-SILENT: the required fields; all but an existing one's size. */
export const SeedVolumeInfo = sized(VolumeFields);

/** Observed: the official client sends a name beside. */
export const ObservedVolumeInfo = sized(VolumeFields.extend({ name: VolumeName.optional() }));

type VolumeInfo = z.output<typeof ObservedVolumeInfo>;

/** A volume: disk on one machine, which bills from creation to deletion, whoever uses it. */
export interface VolumeRecord extends z.output<typeof GivenVolume> {
  /** Simulated ms since the epoch, like `deletedAt`. */
  readonly createdAt: number;
  deletedAt: number | undefined;
}

/** Every volume there ever was, and the room for more. */
export type Volumes = ReturnType<typeof openVolumes>;

/** Opens the account's volumes. */
export function openVolumes(offers: readonly VolumeOffer[], given: CompleteScenario["volumes"], clock: SimClock) {
  const records: VolumeRecord[] = given.map((one) => ({ ...one, createdAt: clock.now(), deletedAt: undefined }));
  const existing = () => records.filter(({ deletedAt }) => deletedAt === undefined);
  /** GB that an offer still has: several volumes may be made of one. */
  const freeSpace = ({ machine_id, disk_space }: VolumeOffer) =>
    disk_space - sum(existing().map((taken) => (taken.machine_id === machine_id ? taken.disk_space : 0)));
  /** The offer that has room for a volume of so many GB; throws the service's 400 or 404. */
  const roomFor = (offerId: number, size: number): VolumeOffer => {
    const offer = offers.find(({ id }) => id === offerId);
    // SPEC-SILENT: the answers to an unknown volume offer and to a size that does not fit.
    if (!offer) throw refusal(404, "no_such_ask", `Volume offer ${offerId} is not available.`);
    if (size > freeSpace(offer)) throw invalidArgs(`volume offer ${offerId} has no room for ${size} GB`);
    return offer;
  };
  /** USD for a volume since its creation. */
  const cost = ({ createdAt, deletedAt = clock.now(), disk_space, ...volume }: VolumeRecord) =>
    ((deletedAt - createdAt) / 3_600_000) * storagePerHour(volume, disk_space);
  return {
    ...{ offers, records, existing, freeSpace, roomFor, cost },
    /** Throws the 404 for a volume that does not exist (any more). */
    need(id: number): VolumeRecord {
      const found = existing().find((volume) => volume.id === id);
      if (!found) throw refusal(404, "no_such_volume", `There is no volume ${id}.`);
      return found;
    },
    /** Makes a volume of an offer. */
    create(offerId: number, size: number, name: string | null = null): VolumeRecord {
      const { machine_id, storage_cost } = roomFor(offerId, size);
      const made = { id: 8_001_001 + records.length, machine_id, storage_cost, disk_space: size, name };
      const volume = { ...made, createdAt: clock.now(), deletedAt: undefined };
      records.push(volume);
      return volume;
    },
    delete(volume: VolumeRecord): void {
      volume.deletedAt = clock.now();
    },
    /** USD for all volumes since their creation. */
    total: () => sum(records.map(cost)),
    /** The bill of each existing volume. */
    billingNow: () =>
      existing().map(({ id, machine_id, storage_cost, disk_space }) => ({
        ...{ id, machine_id },
        storagePerHour: storagePerHour({ storage_cost }, disk_space),
      })),
  };
}

/** Refuses a volume that this machine can't have: volumes are local to their machine. */
export function checkVolume(info: VolumeInfo | null, machineId: number, volumes: Volumes): void {
  if (!info) return;
  const { volume_id, create_new, size = 0 } = info;
  // SPEC-SILENT: the answers to a volume that does not exist, and to one of another machine.
  const { machine_id } = create_new ? volumes.roomFor(volume_id, size) : volumes.need(volume_id);
  if (machine_id !== machineId) throw invalidArgs(`volume ${volume_id} is on machine ${machine_id}`);
}

/** The volume of an instance that is being made: a new one is made with it. */
export function volumeFor(info: VolumeInfo | null, volumes: Volumes): VolumeRecord | undefined {
  if (!info) return undefined;
  return info.create_new ? volumes.create(info.volume_id, info.size ?? 0, info.name) : volumes.need(info.volume_id);
}

/** The sum of numbers. */
export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Room for volumes without a word in the scenario: as much on each machine as it has disk. */
export function defaultVolumeOffers(market: readonly MarketOffer[]): VolumeOffer[] {
  const machines = new Map(market.map((offer) => [offer.machine_id, offer]));
  return Array.from(machines.values(), ({ machine_id, disk_space, storage_cost }) => ({
    ...{ id: 5_000_000 + machine_id, machine_id, disk_space, storage_cost },
  }));
}
