import { distMegabytes, entryStarts } from "./entry-start.ts";
import { costOfLooks } from "./looks.ts";
import { BOOT_SECONDS, runManyMachines } from "./many-machines.ts";
import { type RunTimes, timeCancel, timeOneRun } from "./one-run.ts";
import { median, quantile } from "./statistics.ts";

/**
 * `npm run bench`: measured on the real clock, whole processes, against the simulator. Times of one
 * machine say little about another's; the ratios and the distance to the target do.
 */

/** Container starts, in seconds: spread over main's 10 s between two looks at the service. */
const BOOTS = [8, 10.5, 13, 15.5];
const CANCELS = 5;
const MANY = 16;
/** Of *create instance*, in seconds. */
const CREATE_INTERVAL = 4.5;

const looks = await costOfLooks(MANY);
const starts = entryStarts();
const cancels: number[] = [];
for (let round = 0; round < CANCELS; round += 1) cancels.push(await timeCancel());
const runs = await Promise.all(BOOTS.map(timeOneRun));
const [one, many] = await Promise.all([runManyMachines(1), runManyMachines(MANY)]);
const of = (name: Exclude<keyof RunTimes, "stages">) => runs.map((run) => run[name]);

const rows: [string, string, string][] = [
  ["main's end after the runner came online, p95 of 4", ms(quantile(of("onlineToEnd"), 0.95)), "3000 ms"],
  ["shortest time between two looks at the service", ms(Math.min(...of("shortestLookGap"))), "not below 10000 ms"],
  ["container start to its (stand-in) runner online, median of 4", ms(median(of("containerToOnline"))), "25000 ms"],
  ["SIGINT to exit, nothing in flight, median of 5", ms(median(cancels)), "300 ms"],
  ["post's process start to its first DELETE, median of 4", ms(median(of("postToDelete"))), "500 ms"],
  ["start of main, against an empty Node", againstEmpty(starts.main), "× 4"],
  ["start of post, against an empty Node", againstEmpty(starts.post), "× 3"],
  ["an empty Node", ms(starts.empty), "–"],
  ["dist", `${distMegabytes().toFixed(2)} MB`, "4 MB"],
  [`a look with ${MANY} machines, against a look with one`, times(looks.manyAgainstOne), times(MANY)],
  ["10,000 events replayed, against 1,000 looks with as many machines", times(looks.replayAgainstLooks), "× 1.0"],
  [`${MANY} jobs: start of main to start of the last job`, seconds(many.lastStart), seconds(latestStart(MANY))],
  [`${MANY} jobs: answers 429 of the service`, String(many.tooMany), "8"],
  [
    `${MANY} jobs: requests to the service a minute, against one job`,
    `${many.servicePerMinute} against ${one.servicePerMinute}`,
    "× 2",
  ],
  [`${MANY} jobs: requests an hour that GitHub counts, while they run`, String(many.githubPerHour), "60"],
  [`${MANY} jobs: post's start to the end of the last machine`, seconds(many.giveBack), "90 s"],
];
console.log(`${"measured".padEnd(64)}${"value".padEnd(20)}target`);
for (const [what, value, target] of rows) console.log(`${what.padEnd(64)}${value.padEnd(20)}${target}`);
console.log(`the last of these machines says: ${runs.at(-1)?.stages}`);

/** Boot, one create after the other, and a minute. */
function latestStart(jobs: number): number {
  return BOOT_SECONDS + jobs * CREATE_INTERVAL + 60;
}

function times(value: number): string {
  return `× ${value.toFixed(1)}`;
}

function againstEmpty(value: number): string {
  return `${ms(value)} (× ${(value / starts.empty).toFixed(1)})`;
}

function seconds(value: number): string {
  return `${Math.round(value)} s`;
}

function ms(value: number): string {
  return `${Math.round(value)} ms`;
}
