import { z } from "zod";
import { findFault } from "../../http/faults.ts";
import { completeOffer } from "../catalog/market.ts";
import { VolumeName } from "../catalog/volumes.ts";
import { compareRows } from "../requests/filters.ts";
import { readAs } from "../requests/request-body.ts";
import { MOST_ROWS, offerFilters, offerOrder, readSearchBody } from "../requests/search-body.ts";
import { type OfferRow, offerRow, seedOffer, volumeOfferRow, volumeRow } from "../rows.ts";
import { done, type Operation, type Operations, ok } from "../service-world.ts";
import { invalidArgs, invalidRequest, refusal } from "../traffic/refusal.ts";

const searchOffers: Operation = ({ body, faults }, { dialect, market, rentals, clock }) => {
  // SPEC-SILENT: the sentence; the word was seen.
  if (findFault(faults, "search-quota"))
    throw refusal(429, "search_quota_exceeded", "The search quota of this account is used up.");
  const terms = { now: clock.now(), openedAt: market.openedAt };
  // Any row tells the columns and their types, even where the market is empty.
  const sample = offerRow(completeOffer({ id: 1 }), { ...terms, allocatedStorage: 8, isBid: false, rented: false });
  const ignored = findFault(faults, "ignore-filters")?.keys ?? [];
  const search = readSearchBody(body, { dialect, sample }, ignored);
  const { isBid, allocatedStorage, limit, passes, compare } = search;
  const rows = market.stalls.map(({ offer }) =>
    offerRow(offer, { ...terms, allocatedStorage, isBid, rented: rentals.holds(offer.id) }),
  );
  const found = rows.filter(passes).toSorted(compare).slice(0, limit);
  return ok({ offers: dialect === "seed" ? found.map(seedOffer) : found });
};

/** The official client asks it first, keyless. */
const listGpuNames: Operation = (_call, { market }) =>
  ok({ gpu_names: [...new Set(market.stalls.map(({ offer }) => offer.gpu_name))].sort() });

/** As a search of offers, on other columns. */
const searchVolumes: Operation = ({ body }, { dialect, market, volumes }) => {
  const rows = volumes.offers.map((offer) =>
    asRow(volumeOfferRow(offer, market.offerOn(offer.machine_id), volumes.freeSpace(offer))),
  );
  const sample = asRow(volumeOfferRow({ id: 1, machine_id: 1, disk_space: 1, storage_cost: 0 }, market.offerOn(1), 1));
  const { order = [], limit = MOST_ROWS, allocated_storage: _priced, type: _type, ...filters } = body;
  if (!Number.isInteger(Number(limit))) throw invalidRequest("limit must be a number");
  const terms = { sample, dialect };
  const found = rows.filter(offerFilters(filters, terms)).toSorted(compareRows(offerOrder(order, terms)));
  return ok({ offers: found.slice(0, Math.min(MOST_ROWS, Number(limit))) });
};

/** Nulls are no type that a filter could be checked against. */
function asRow(row: Record<string, unknown>): OfferRow {
  const known = Object.entries(row).filter(([, value]) => value !== null);
  return Object.fromEntries(known) as OfferRow;
}

const listVolumes: Operation = (_call, { market, rentals, volumes }) => {
  const rows = volumes
    .existing()
    .map((volume) => volumeRow(volume, market.offerOn(volume.machine_id), rentals.using(volume.id)));
  return ok({ volumes: rows });
};

const CreateVolumeBody = z.strictObject({
  id: z.int().positive(),
  size: z.number().positive(),
  name: VolumeName.nullish(),
});

const createVolume: Operation = ({ body }, { volumes }) => {
  const wanted = readAs(CreateVolumeBody, body, "id, size and name (A-Z, a-z, 0-9, _) are taken");
  const { id } = volumes.create(wanted.id, wanted.size, wanted.name ?? null);
  return done({ volume_name: `V.${id}`, volume_id: id });
};

const DeleteVolumeBody = z.strictObject({ id: z.int().positive() });

/** The id is documented in the body, and sent as a query by the official client. */
const deleteVolume: Operation = ({ body, query }, { rentals, volumes }) => {
  const given = query.has("id") ? { ...body, id: Number(query.get("id")) } : body;
  const { id } = readAs(DeleteVolumeBody, given, "id must be a volume's id");
  const volume = volumes.need(id);
  // SPEC-SILENT: the answer while it is in use; the official client says to destroy those first.
  if (rentals.using(id).length > 0) throw invalidArgs(`volume ${id} is in use; destroy its instances first`);
  volumes.delete(volume);
  return done();
};

/** What can be rented, and volumes, of which the seed has no operation. */
export const MARKET_OPERATIONS: Operations = {
  both: { searchOffers },
  observed: { listGpuNames, searchVolumes, listVolumes, createVolume, deleteVolume },
};
