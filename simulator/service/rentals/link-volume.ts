import type { MarketOffer } from "../../scenario/market-offer.ts";
import type { VolumeRecord, Volumes } from "../catalog/volumes.ts";
import { Refusal } from "../traffic/refusal.ts";
import type { InstanceOrder } from "./instance-record.ts";

/** Refuses a volume that this machine can't have: volumes are local to their machine. */
export function checkVolume({ volumeInfo }: InstanceOrder, { machine_id }: MarketOffer, volumes: Volumes): void {
  if (!volumeInfo) return;
  const { volume_id, create_new, size = 0 } = volumeInfo;
  const place = create_new ? volumes.roomFor(volume_id, size) : volumes.find(volume_id);
  // SPEC-SILENT: the answers to a volume that does not exist, and to one of another machine.
  if (!place) throw new Refusal(404, { error: "no_such_volume", msg: `There is no volume ${volume_id}.` });
  if (place.machine_id === machine_id) return;
  throw new Refusal(400, { error: "invalid_args", msg: `volume ${volume_id} is on machine ${place.machine_id}` });
}

/** The volume of an instance that is being made: a new one is made with it. */
export function volumeFor({ volumeInfo }: InstanceOrder, volumes: Volumes): VolumeRecord | undefined {
  if (!volumeInfo) return undefined;
  const { volume_id, create_new, size = 0, name } = volumeInfo;
  return create_new ? volumes.create(volume_id, size, name) : volumes.find(volume_id);
}
