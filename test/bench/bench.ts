import { distMegabytes, entryStarts } from "./entry-start.ts";
import { benchMarket } from "./market/bench-market.ts";
import { timeCancel, timeOneUse, type UseTimes } from "./one-use.ts";
import { median, percentile } from "./statistics.ts";

/**
 * `npm run bench`, and with `-- market` what is in that folder: measured on the real clock, whole processes, against the simulator. Times of one machine say little about another's; the ratios and
 * the distance to the target do.
 */

/** When the container starts, in seconds: spread over main's 10 s between two looks at the service. */
const BOOTS = [8, 10.5, 13, 15.5];
const CANCELS = 5;

if (process.argv[2] === "market") await benchMarket(process.argv.slice(3));
else await benchUses();

async function benchUses(): Promise<void> {
  const starts = entryStarts();
  const cancels: number[] = [];
  for (let round = 0; round < CANCELS; round += 1) cancels.push(await timeCancel());
  const uses = await Promise.all(BOOTS.map(timeOneUse));
  const of = (name: Exclude<keyof UseTimes, "stages">) => uses.map((use) => use[name]);

  const rows: [string, string, string][] = [
    ["main's end after the runner came online, p95 of 4", ms(percentile(of("onlineToEnd"), 0.95)), "3000 ms"],
    ["shortest time between two looks at the service", ms(Math.min(...of("shortestLookGap"))), "not below 10000 ms"],
    ["container start to its (stand-in) runner online, median of 4", ms(median(of("containerToOnline"))), "25000 ms"],
    ["SIGINT to exit, nothing in flight, median of 5", ms(median(cancels)), "300 ms"],
    ["post's process start to its first DELETE, median of 4", ms(median(of("postToDelete"))), "500 ms"],
    ["start of main, beside an empty Node", `${ms(starts.main)} (× ${(starts.main / starts.empty).toFixed(1)})`, "–"],
    ["start of post, beside an empty Node", `${ms(starts.post)} (× ${(starts.post / starts.empty).toFixed(1)})`, "–"],
    ["an empty Node", ms(starts.empty), "–"],
    ["dist", `${distMegabytes().toFixed(2)} MB`, "5 MB"],
  ];
  console.log(`${"measured".padEnd(64)}${"value".padEnd(20)}target`);
  for (const [what, value, target] of rows) console.log(`${what.padEnd(64)}${value.padEnd(20)}${target}`);
  console.log(`the last of these machines says: ${uses.at(-1)?.stages}`);
}

function ms(value: number): string {
  return `${Math.round(value)} ms`;
}
