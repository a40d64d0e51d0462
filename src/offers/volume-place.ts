import type { Marketplace, Volume } from "../marketplace/marketplace.ts";
import type { Log } from "../shared/log.ts";
import { VolumeUnknownError } from "./errors.ts";

/** Finds a volume's machine; undefined if nobody shows it. Throws VolumeUnknownError if there is no such volume. */
export async function volumeMachine(
  { service, log, signal }: { service: Pick<Marketplace, "volumePlace">; log: Log; signal: AbortSignal },
  volume: Volume | undefined,
): Promise<number | undefined> {
  if (volume === undefined) return undefined;
  const machine = await service.volumePlace(volume.id, signal);
  if (machine === "unknown") throw new VolumeUnknownError(volume.id);
  if (machine === "not-shown") {
    log.warning("Vast.ai does not show where the volume is, so any machine may be asked for it.");
    return undefined;
  }
  log.info(`Volume ${volume.id} is on host ${machine}: only that one can have it.`);
  return machine;
}
