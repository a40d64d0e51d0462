import type { Operation } from "../../service-world.ts";
import { notInTheSeed } from "../../traffic/not-in-the-seed.ts";

/** `GET /api/v0/gpu_names/unique/`: not in the seed. The official client asks it first, keyless. */
export const listGpuNames: Operation = (_call, { dialect, market }) => {
  notInTheSeed(dialect);
  const gpu_names = [...new Set(market.stalls.map(({ offer }) => offer.gpu_name))].sort();
  return { status: 200, body: { gpu_names } };
};
