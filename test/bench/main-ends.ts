import { NOTHING_KNOWN } from "../../src/history/earlier-runs.ts";
import { markOf } from "../../src/history/hosts.ts";
import { NO_FACTS } from "../../src/history/kept-facts.ts";
import { KeptHistory } from "../../src/history/kept-history.ts";
import { Draws } from "./market/draws.ts";
import { Market, USUAL } from "./market/market.ts";
import { play } from "./market/play.ts";
import { quantile } from "./statistics.ts";

// `npm run bench -- ends`: how long after its last job main ends, on the drawn market. Jobs differ
// from run to run, and GitHub's list is up to three seconds late.

const TRIALS = 60;
const HOUR_MS = 3_600_000;
/** How much the jobs of two runs differ: two of three by less. */
const SPREAD = 0.15;
const GOAL = "at most 10 s";
/** It lives an hour, so that the last runner can't be asked for. */
const APP = { "github-token": "ghs_0123456789abcdef" };
/** A job that its machine's lifetime cuts off has no end to be seen. */
const LONG = { "max-lifetime": "5h" };

console.log(
  `${"main ends, seconds after the last job".padEnd(44)}${"p50".padStart(6)}${"p95".padStart(6)}  counted in an hour, most`,
);
for (const [name, jobs, minutes, runsBefore, inputs = {}] of [
  ["one job of 10 min, first run", 1, 10, 0],
  ["one job of 10 min, after three runs", 1, 10, 3],
  ["one job of 2 h, first run", 1, 120, 0, LONG],
  ["one job of 2 h, after three runs", 1, 120, 3, LONG],
  ["one job of 2 h, first run, an app's token", 1, 120, 0, { ...LONG, ...APP }],
  ["one job of 2 h, after three, an app's token", 1, 120, 3, { ...LONG, ...APP }],
  ["8 jobs of 2 h, first run, an app's token", 8, 120, 0, { ...LONG, ...APP }],
  ["8 jobs of 10 min, first run", 8, 10, 0],
  ["8 jobs of 10 min, after three runs", 8, 10, 3],
] as const)
  await row(name, { jobs, usualSeconds: minutes * 60, runsBefore, inputs });

interface Row {
  jobs: number;
  usualSeconds: number;
  runsBefore: number;
  inputs: Readonly<Record<string, string>>;
}

async function row(name: string, { inputs, jobs, runsBefore, usualSeconds }: Row): Promise<void> {
  const endsAfter: number[] = [];
  let counted = 0;
  for (let trial = 0; trial < TRIALS; trial += 1) {
    const draws = new Draws(trial, name);
    const drawn = () => Math.round(usualSeconds * Math.exp(SPREAD * draws.normal()));
    const history = historyOf(jobs, Array.from({ length: runsBefore }, drawn));
    const use = {
      jobs,
      jobSeconds: drawn(),
      jobsLateMs: draws.uniform(0, 3000),
      inputs: { machines: "16", ...inputs },
    };
    const played = await play(new Market({ ...USUAL, offers: 64 }, 1, trial), trial, use, { history });
    endsAfter.push(played.endsAfter);
    counted = Math.max(counted, mostInAnHour(played.countedAt));
  }
  const [p50, p95] = [0.5, 0.95].map((share) => quantile(endsAfter, share).toFixed(1).padStart(6));
  console.log(`${name.padEnd(44)}${p50}${p95}  ${counted}  (p95 ${GOAL})`);
}

/** A history of runs whose jobs took so long each. */
function historyOf(jobs: number, seconds: readonly number[]): KeptHistory {
  const history = new KeptHistory();
  const runs = seconds.map((each, run) => ({
    ...{ run: run + 1, attempt: 1, at: run + 1, usd: 0, use: markOf("") },
    kinds: Array.from({ length: Math.min(8, jobs) }, (_none, n) => ({ kind: markOf(`test (${n})`), seconds: each })),
  }));
  history.arrived({ ...NOTHING_KNOWN, facts: { ...NO_FACTS, runs } });
  return history;
}

function mostInAnHour(times: readonly number[]): number {
  return Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + HOUR_MS).length));
}
