import type { HostModel } from "../../scenario/host-model.ts";
import type { MarketOffer } from "../../scenario/market-offer.ts";
import type { Simulate, StatusStep } from "../../scenario/simulate.ts";
import { Draws } from "./draws.ts";

/** A boot's outcome on a host. */
export interface Fate {
  /** For people: `boots in 143 s`. */
  readonly words: string;
  readonly statuses: readonly StatusStep[];
  readonly machine: Simulate["machine"];
  /** GB that it downloads for the image. */
  readonly imageGb: number;
}

/** A boot of which the market decides, beside the seed. */
export interface Boot {
  readonly offer: Pick<MarketOffer, "machine_id" | "inet_down">;
  /** Which boot on this machine it is, from 1. */
  readonly nth: number;
  /** The host has the image already: nothing is downloaded. */
  readonly hasImage: boolean;
}

const PULLING = "5a7813e071bf: Pulling fs layer \n";
/** Of the hosts that never become ready, those that reach running, bill, and are not heard of. */
const SILENT_SHARE = 0.3;

/** Draws what becomes of a boot; the same seed, machine and number give the same. */
export function drawFate({ seed, broken, imageGb }: HostModel, boot: Boot): Fate {
  const draws = new Draws(seed);
  const { machine_id } = boot.offer;
  const seconds = Math.round(boot.hasImage ? cachedBoot(draws, boot) : pulledBoot(draws, boot, imageGb));
  const good = { statuses: stepsTo(seconds), machine: {}, imageGb: boot.hasImage ? 0 : imageGb };
  if (draws.unit("broken", machine_id) >= broken) {
    return { ...good, words: `boots in ${seconds} s${boot.hasImage ? ", has the image already" : ""}` };
  }
  if (draws.unit("ends", machine_id) < 0.5) return ending(Math.round(draws.between(60, 180, "end", machine_id)));
  if (draws.unit("silent", machine_id) >= SILENT_SHARE) return STUCK;
  return { ...good, machine: { onstart: "skip" }, words: `broken: runs after ${seconds} s, and is never heard of` };
}

const STUCK: Fate = {
  words: "broken: never gets beyond loading",
  statuses: [
    { after: 0, actual_status: null },
    { after: 2, actual_status: "loading", status_msg: PULLING },
  ],
  machine: {},
  imageGb: 0,
};

function ending(seconds: number): Fate {
  const status_msg = "Error response from daemon: OCI runtime create failed: container_linux.go:380 \n";
  return {
    words: `broken: exits after ${seconds} s`,
    statuses: [...STUCK.statuses, { after: seconds, actual_status: "exited", status_msg }],
    machine: {},
    imageGb: 0,
  };
}

function cachedBoot(draws: Draws, { offer, nth }: Boot): number {
  return draws.between(30, 60, "cached", offer.machine_id, nth);
}

/** Provisioning, then the download at the host's own pace, then unpacking at 20 s a GB. */
function pulledBoot(draws: Draws, { offer, nth }: Boot, imageGb: number): number {
  const { machine_id, inet_down } = offer;
  const base = imageGb * (16_000 / inet_down + 20);
  const host = Math.exp(0.4 * draws.normal("host", machine_id));
  const pull = Math.exp(0.3 * draws.normal("pull", machine_id, nth));
  return draws.between(10, 30, "provisioning", machine_id, nth) + base * host * pull;
}

function stepsTo(seconds: number): StatusStep[] {
  const created = Math.min(5, seconds / 4);
  return [
    { after: 0, actual_status: null },
    { after: created, actual_status: "created" },
    { after: 2 * created, actual_status: "loading", status_msg: PULLING },
    { after: seconds, actual_status: "running", status_msg: "success, running image" },
  ];
}
