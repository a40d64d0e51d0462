import { z } from "zod";
import { completeOffer } from "../catalog/market.ts";
import { compareRows, type Scalar } from "../requests/comparison.ts";
import { offerColumn, offerFilter, readSearchBody } from "../requests/search-body.ts";
import { type OfferRow, offerRow, seedOffer, volumeOfferRow, volumeRow } from "../rows.ts";
import type { Operation } from "../service-world.ts";
import { findFault } from "../traffic/fault-book.ts";
import { invalidRequest, notInTheSeed, Refusal } from "../traffic/refusal.ts";

const CreateVolumeBody = z.strictObject({
  id: z.int().positive(),
  size: z.number().positive(),
  name: z
    .string()
    .regex(/^[A-Za-z0-9_]{1,64}$/)
    .nullish(),
});

/** `PUT /api/v0/volumes/`: not in the seed. */
export const createVolume: Operation = ({ body }, { dialect, volumes }) => {
  notInTheSeed(dialect);
  const wanted = CreateVolumeBody.safeParse(body).data;
  if (!wanted) throw new Refusal(400, { error: "invalid_args", msg: "id, size and name (A-Z, a-z, 0-9, _) are taken" });
  const { id } = volumes.create(wanted.id, wanted.size, wanted.name ?? null);
  return { status: 200, body: { success: true, volume_name: `V.${id}`, volume_id: id } };
};

const DeleteVolumeBody = z.strictObject({ id: z.int().positive() });

/**
 * `DELETE /api/v0/volumes/`: not in the seed. The id is documented in the body, and sent as a query
 * by the official client.
 */
export const deleteVolume: Operation = ({ body, query }, { dialect, rentals, volumes }) => {
  notInTheSeed(dialect);
  const given = DeleteVolumeBody.safeParse(query.has("id") ? { ...body, id: Number(query.get("id")) } : body).data;
  if (!given) throw new Refusal(400, { error: "invalid_args", msg: "id must be a volume's id" });
  const { id } = given;
  const volume = volumes.find(id);
  if (!volume) throw new Refusal(404, { error: "no_such_volume", msg: `There is no volume ${id}.` });
  // SPEC-SILENT: the answer while it is in use; the official client says to destroy those first.
  if (rentals.using(id).length > 0) {
    throw new Refusal(400, { error: "invalid_args", msg: `volume ${id} is in use; destroy its instances first` });
  }
  volumes.delete(volume);
  return { status: 200, body: { success: true } };
};

/** `GET /api/v0/gpu_names/unique/`: not in the seed. The official client asks it first, keyless. */
export const listGpuNames: Operation = (_call, { dialect, market }) => {
  notInTheSeed(dialect);
  const gpu_names = [...new Set(market.stalls.map(({ offer }) => offer.gpu_name))].sort();
  return { status: 200, body: { gpu_names } };
};

/** `GET /api/v0/volumes`: not in the seed. The volumes with the instances that use them. */
export const listVolumes: Operation = (_call, { dialect, market, rentals, volumes }) => {
  notInTheSeed(dialect);
  const rows = volumes.existing().map((volume) => {
    const machine = market.stalls.find((stall) => stall.offer.machine_id === volume.machine_id)?.offer;
    return volumeRow(volume, machine, rentals.using(volume.id));
  });
  return { status: 200, body: { volumes: rows } };
};

/** `POST /api/v0/bundles/` */
export const searchOffers: Operation = ({ body, faults }, { dialect, market, rentals, clock, templates }) => {
  if (findFault(faults, "search-quota")) {
    // SPEC-SILENT: the sentence; the word was seen.
    throw new Refusal(429, { error: "search_quota_exceeded", msg: "The search quota of this account is used up." });
  }
  const terms = { now: clock.now(), openedAt: market.openedAt };
  // Any row tells the columns and their types, even where the market is empty.
  const sample = offerRow(completeOffer({ id: 1 }), { ...terms, allocatedStorage: 8, isBid: false, rented: false });
  const ignored = findFault(faults, "ignore-filters")?.keys ?? [];
  const { isBid, allocatedStorage, limit, passes, compare } = readSearchBody(body, {
    dialect,
    sample,
    ignored,
    templates,
  });
  const rows: OfferRow[] = market.stalls.map(({ offer }) =>
    offerRow(offer, { ...terms, allocatedStorage, isBid, rented: rentals.holds(offer.id) }),
  );
  const found = rows.filter(passes).toSorted(compare).slice(0, limit);
  return { status: 200, body: { offers: dialect === "seed" ? found.map(seedOffer) : found } };
};

const SearchAsksBody = z.strictObject({
  select_cols: z.array(z.string()).optional(),
  q: z.record(z.string(), z.unknown()),
});

/** `PUT /api/v0/search/asks/`: not in the seed. The same search by `q`, answered in all columns. */
export const searchAsks: Operation = (call, world) => {
  notInTheSeed(world.dialect);
  const given = SearchAsksBody.safeParse(call.body).data;
  if (!given) throw invalidRequest("q is needed");
  return searchOffers({ ...call, body: given.q }, world);
};

type Row = Readonly<Record<string, string | number | boolean>>;

/** `POST /api/v0/volumes/search/`: not in the seed. As a search of offers, on other columns. */
export const searchVolumes: Operation = ({ body }, { dialect, market, volumes }) => {
  notInTheSeed(dialect);
  const rows = volumes.offers.map((offer) => {
    const machine = market.stalls.find((stall) => stall.offer.machine_id === offer.machine_id)?.offer;
    return asRow(volumeOfferRow(offer, machine, volumes.freeSpace(offer)));
  });
  const sample = asRow(volumeOfferRow({ id: 1, machine_id: 1, disk_space: 1, storage_cost: 0 }, undefined, 1));
  const { order = [], limit = 64, allocated_storage: _priced, type: _type, ...filters } = body;
  if (!Number.isInteger(Number(limit))) throw invalidRequest("limit must be a number");
  const tests = Object.entries(filters).map(([field, filter]) => offerFilter(field, filter, { sample, dialect }));
  const sorted = rows
    .filter((row) => tests.every((test) => test(row)))
    .toSorted(compareRows<Row>(readOrder(order, sample)));
  return { status: 200, body: { offers: sorted.slice(0, Math.min(64, Number(limit))) } };
};

/** Nulls are no type that a filter could be checked against. */
function asRow(row: Record<string, unknown>): Row {
  const known = Object.entries(row).filter(([, value]) => value !== null);
  return Object.fromEntries(known) as Row;
}

function readOrder(order: unknown, sample: Row): { descending: boolean; read: (row: Row) => Scalar }[] {
  if (!Array.isArray(order)) throw invalidRequest("order must be an array");
  return order.map((pair: unknown) => {
    const [field, direction] = Array.isArray(pair) ? pair : [];
    return { descending: direction === "desc", read: offerColumn(String(field), sample) };
  });
}
