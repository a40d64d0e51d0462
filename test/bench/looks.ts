import type { FleetWatcher } from "../../src/fleet/loop.ts";
import { EVENTS_VERSION, replay } from "../../src/fleet/recording/replay.ts";
import { Market, USUAL } from "./market/market.ts";
import { play } from "./market/play.ts";
import { median } from "./statistics.ts";

/** The cost of the loop itself, in this process: ratios, which hold on other computers, too. */
interface LookCosts {
  /** The time of a look at this many machines against that of a look at one: all of the loop, on answers that are there. */
  manyAgainstOne: number;
  /** 10,000 events that are replayed, against 1,000 looks of the fleet that they are of. */
  replayAgainstLooks: number;
}

const ROUNDS = 9;

/** Plays sessions of one and of `machines` jobs on the drawn market, and replays their events. */
export async function costOfLooks(machines: number): Promise<LookCosts> {
  const one: number[] = [];
  const many: number[] = [];
  const events: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    one.push((await timed(1, round)).look);
    const { event, look } = await timed(machines, round);
    many.push(look);
    events.push(event);
  }
  return { manyAgainstOne: median(many) / median(one), replayAgainstLooks: (10 * median(events)) / median(many) };
}

/**
 * Processor time of a look, and of an event that is replayed, in a session of so many jobs. By the clock
 * on the wall it would be that of everything else on this computer, too.
 */
async function timed(jobs: number, trial: number): Promise<{ look: number; event: number }> {
  const use = { jobs, jobSeconds: 600, inputs: { machines: "16" } };
  const playOnce = (happened?: FleetWatcher["happened"]) =>
    play(new Market({ ...USUAL, offers: 64 }, 1, trial), trial, use, { ...(happened && { happened }) });
  const lines: string[] = [];
  await playOnce((event, state, rules) => {
    if (lines.length === 0) lines.push(JSON.stringify({ version: EVENTS_VERSION, rules, state }));
    lines.push(JSON.stringify(event));
  });
  const looks = lines.filter((line) => line.startsWith('{"kind":"Decided"')).length;
  const before = process.cpuUsage();
  await playOnce();
  const played = process.cpuUsage(before).user;
  replay(lines.join("\n"));
  return { look: played / looks, event: (process.cpuUsage(before).user - played) / (lines.length - 1) };
}
