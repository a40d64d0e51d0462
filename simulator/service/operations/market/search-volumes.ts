import { compareRows, type Scalar } from "../../requests/comparison.ts";
import { offerColumn, offerFilter } from "../../requests/offer-filter.ts";
import { volumeOfferRow } from "../../rows/volume-row.ts";
import type { Operation } from "../../service-world.ts";
import { notInTheSeed } from "../../traffic/not-in-the-seed.ts";
import { invalidRequest } from "../../traffic/refusal.ts";

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
