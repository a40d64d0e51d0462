import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { imageMark } from "../../../src/market/history.ts";
import type { KnownHost, PlannedHistory } from "../planned-run.ts";

/** As the simulator numbers the machine behind an offer of which nothing is said. */
const MACHINE_OF_OFFER = 40_000;
const HOUR_MS = 3_600_000;

/** The image of the run, as its registry shows it. */
type PulledImage = Parameters<typeof imageMark>[0];

/** Puts down what was planned, in a folder of its own. Returns the path for the input `history`. */
export function putHistory(planned: PlannedHistory, { image, now }: { image: PulledImage; now: number }): string {
  const path = join(mkdtempSync(join(tmpdir(), "history-")), "machines.json");
  if (planned.kind === "folder") mkdirSync(path);
  else if (planned.kind !== "absent") writeFileSync(path, textOf(planned, image, now));
  return path;
}

function textOf(planned: Extract<PlannedHistory, { kind: "text" | "known" }>, image: PulledImage, now: number): string {
  if (planned.kind === "text") return planned.text;
  const machines = planned.hosts.map((host) => [MACHINE_OF_OFFER + host.offer, entryOf(host, image, now)]);
  return JSON.stringify({ version: 1, machines: Object.fromEntries(machines) });
}

function entryOf({ boots, failedHoursAgo, servedHoursAgo }: KnownHost, image: PulledImage, now: number): object {
  const at = (hoursAgo: number) => Math.round(now - hoursAgo * HOUR_MS);
  return {
    ...(failedHoursAgo !== undefined && { failedAt: at(failedHoursAgo) }),
    ...(servedHoursAgo !== undefined && { servedAt: at(servedHoursAgo) }),
    boots: boots.map(({ actualSeconds, estimateSeconds, hoursAgo, isSameImage }) => ({
      at: at(hoursAgo),
      image: imageMark(isSameImage ? image : { ...image, name: "another" }),
      ...(estimateSeconds !== undefined && { estimateMs: estimateSeconds * 1000 }),
      actualMs: actualSeconds * 1000,
    })),
  };
}
