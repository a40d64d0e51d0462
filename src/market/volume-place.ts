import { formatPrice } from "../money/format-price.ts";
import type { Log } from "../shared/log.ts";
import type { VolumeInfo } from "../vast/schemas/instance-config.ts";
import type { VolumeOffer } from "../vast/schemas/volume.ts";
import type { ServiceClient } from "../vast/service-client.ts";
import { NotFoundError, RequestRejectedError } from "../vast/service-errors.ts";
import { VolumeUnknownError } from "./market-errors.ts";

interface Asking {
  service: Pick<ServiceClient, "listVolumes" | "searchVolumes">;
  log: Log;
  signal: AbortSignal;
}

/**
 * The machine that a volume, or the room for a new one, is on. Undefined: the service of the
 * specification's letter does not tell. Throws VolumeUnknownError when there is no such volume.
 */
export async function volumeMachine(asking: Asking, volume: VolumeInfo | undefined): Promise<number | undefined> {
  if (volume === undefined) return undefined;
  try {
    return volume.create_new ? await placeOfNew(asking, volume) : await placeOfExisting(asking, volume.volume_id);
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    return untold(asking.log);
  }
}

function untold(log: Log): undefined {
  log.warning("The service does not tell where the volume is, so any machine may be asked for it.");
}

async function placeOfExisting({ service, log, signal }: Asking, id: number): Promise<number | undefined> {
  const volume = (await service.listVolumes(signal)).find((each) => each.id === id);
  if (volume === undefined) throw new VolumeUnknownError(`The account has no volume ${id}.`);
  if (volume.machine_id === undefined) return untold(log);
  log.info(`Volume ${id} is on machine ${volume.machine_id}: only that one can have it.`);
  return volume.machine_id;
}

async function placeOfNew(
  { log, ...asking }: Asking,
  { volume_id, size }: Extract<VolumeInfo, { create_new: true }>,
): Promise<number | undefined> {
  const offer = await findOffer(asking, volume_id);
  if (offer === undefined) throw new VolumeUnknownError(`The service has no volume offer ${volume_id}.`);
  const perMonth = offer.storage_cost === undefined ? "its price" : formatPrice(offer.storage_cost * size);
  log.warning(
    `A volume of ${size} GB will be made on machine ${offer.machine_id ?? "unknown"}. It outlives this run and bills ${perMonth} a month until you delete it in the service's console; in later runs link it by its own volume-id.`,
  );
  return offer.machine_id;
}

/** SPEC-SILENT: which the search takes. One was seen to find nothing; an unknown one is refused. */
const ID_NAMES = ["id", "ask_contract_id"];

/** The answer is looked through again: the filter need not have been applied. */
async function findOffer({ service, signal }: Omit<Asking, "log">, id: number): Promise<VolumeOffer | undefined> {
  const refusals: RequestRejectedError[] = [];
  for (const name of ID_NAMES) {
    try {
      const offers = await service.searchVolumes({ [name]: { eq: id } }, signal);
      const found = offers.find((each) => each.id === id);
      if (found !== undefined) return found;
    } catch (error) {
      if (!(error instanceof RequestRejectedError) || error.status !== 400) throw error;
      refusals.push(error);
    }
  }
  if (refusals.length === ID_NAMES.length) throw refusals[0];
  return undefined;
}
