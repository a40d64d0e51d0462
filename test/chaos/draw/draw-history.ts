import type { KnownHost, PlannedHistory, PlannedRun } from "../planned-run.ts";
import type { Dice } from "./dice.ts";
import { FIRST_OFFER } from "./draw-offers.ts";

/** Files that are no history, or that somebody wrote to mislead. */
export const HOSTILE_TEXTS = [
  "",
  "null",
  '{"version": 1, "machines": {"40011": {"boots"',
  '{"version": 2, "machines": {}}', // without its runs
  '{"version": 3, "machines": {}, "runs": []}',
  '{"version": 1, "machines": []}',
  '{"version": 1, "machines": {"__proto__": {"boots": []}, "40011": {"boots": []}}}',
  '{"version": 1, "machines": {"40011": {"boots": [], "servedAt": 99999999999999}}}',
  '{"version": 1, "machines": {"40011": {"boots": [{"at": 1, "image": "0000000000000000", "actualMs": -1}]}}}',
  '{"version": 1, "machines": {"40011": {"boots": [], "failedAt": 1, "why": "::error::foreign"}}}',
  "::error::foreign\n::stop-commands::x\n",
  "\u0000\u0001\ufffd",
];

/** Left at the path by an earlier run or somebody else; nothing in one of three. */
export function drawHistory(dice: Dice, offers: PlannedRun["offers"]): PlannedHistory {
  switch (dice.weighted({ absent: 3, known: 5, hostile: 3, folder: 1, "too-long": 1 })) {
    case "absent":
      return { kind: "absent" };
    case "known":
      return {
        kind: "known",
        hosts: ours(offers).flatMap((offer) => (dice.chance(0.6) ? [drawHost(dice, offer)] : [])),
      };
    case "hostile":
      return { kind: "text", text: dice.pick(HOSTILE_TEXTS) };
    case "folder":
      return { kind: "folder" };
    case "too-long":
      return { kind: "text", text: `{"version": 1, "machines": {}}${" ".repeat(1_000_001)}` };
  }
}

function ours(offers: PlannedRun["offers"]): number[] {
  return offers.map(({ id }) => id).filter((id) => id >= FIRST_OFFER);
}

function drawHost(dice: Dice, offer: number): KnownHost {
  return {
    offer,
    ...(dice.chance(0.3) && { failedHoursAgo: dice.pick([1, 12, 30, 900]) }),
    ...(dice.chance(0.5) && { servedHoursAgo: dice.pick([1, 30, 60, 800]) }),
    boots: dice.several(0, 3, () => ({
      hoursAgo: dice.whole(1, 700),
      isSameImage: dice.chance(0.4),
      ...(dice.chance(0.8) && { estimateSeconds: dice.whole(20, 200) }),
      actualSeconds: dice.whole(5, 900),
    })),
  };
}
