import type { Marketplace, Volume, VolumePlace } from "../marketplace/marketplace.ts";
import { formatPrice } from "../money/price.ts";
import type { Log } from "../shared/log.ts";
import { VolumeUnknownError } from "./errors.ts";

interface Asking {
  service: Pick<Marketplace, "volumePlace">;
  log: Log;
  signal: AbortSignal;
}

/**
 * Finds the machine that a volume, or the room for a new one, is on; undefined if the service does
 * not show it. Throws VolumeUnknownError if there is no such volume.
 */
export async function volumeMachine(
  { service, log, signal }: Asking,
  volume: Volume | undefined,
): Promise<number | undefined> {
  if (volume === undefined) return undefined;
  const place = await service.volumePlace(volume, signal);
  if (place === "unknown") throw new VolumeUnknownError(noSuchVolume(volume));
  if (place === "not-shown" || (volume.kind === "existing" && place.machineId === undefined)) {
    log.warning("The service does not show where the volume is, so any machine may be asked for it.");
    return undefined;
  }
  if (volume.kind === "existing")
    log.info(`Volume ${volume.id} is on machine ${place.machineId}: only that one can have it.`);
  else log.warning(describeNew(volume, place));
  return place.machineId;
}

function noSuchVolume(volume: Volume): string {
  return volume.kind === "new"
    ? `The service has no volume offer ${volume.offerId}.`
    : `The account has no volume ${volume.id}.`;
}

function describeNew({ sizeGb }: Volume & { kind: "new" }, { machineId, usdPerGbMonth }: VolumePlace): string {
  const perMonth = usdPerGbMonth === undefined ? "its price" : formatPrice(usdPerGbMonth * sizeGb);
  return `A volume of ${sizeGb} GB will be made on machine ${machineId ?? "unknown"}. It outlives this run and bills ${perMonth} a month until you delete it in the service's console; in later runs link it by its own volume-id.`;
}
