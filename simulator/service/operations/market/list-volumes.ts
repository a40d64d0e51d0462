import { volumeRow } from "../../rows/volume-row.ts";
import type { Operation } from "../../service-world.ts";
import { notInTheSeed } from "../../traffic/not-in-the-seed.ts";

/** `GET /api/v0/volumes`: not in the seed. The volumes with the instances that use them. */
export const listVolumes: Operation = (_call, { dialect, market, rentals, volumes }) => {
  notInTheSeed(dialect);
  const rows = volumes.existing().map((volume) => {
    const machine = market.stalls.find((stall) => stall.offer.machine_id === volume.machine_id)?.offer;
    return volumeRow(volume, machine, rentals.using(volume.id));
  });
  return { status: 200, body: { volumes: rows } };
};
