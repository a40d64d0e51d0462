import { HandWoundClock } from "../../unit/support/hand-wound-clock.ts";
import { mean, quantile } from "../statistics.ts";
import { type BootLimit, BY_SIZE, plainFailover, TEN_MINUTES } from "./baselines.ts";
import { Market, type MarketShape, USUAL } from "./market.ts";
import { costOf, type Outcome, TRIAL_SECONDS } from "./outcome.ts";
import { type Play, play } from "./play.ts";
import { RunLogs } from "./run-logs.ts";

/** What the trials of one study came to. Times in seconds. */
export interface Figures {
  p50: number;
  p95: number;
  p99: number;
  /** The share of trials that were ready within 15 min. */
  within15: number;
  /** Machines started and USD, each for one job. */
  started: number;
  usd: number;
  /** When the last job was over, p95. */
  end95: number;
}

/** A study of one seed. */
export interface Sample extends Figures {
  name: string;
}

/** The terms of a study. */
interface Trials {
  trials: number;
  seed: number;
}

/** A study: what it is called, and how its row comes about. */
interface Study {
  name: string;
  run: (trials: Trials) => Promise<Sample>;
}

const ONE: Play = { jobs: 1, jobSeconds: 600 };
const TIGHT: MarketShape = { ...USUAL, offers: 5 };
const BIG: MarketShape = { ...USUAL, offers: 64 };
const HEALTHY: MarketShape = { ...USUAL, broken: 0 };
/** Runs of one market, one an hour. */
const HOURS = 30;
const HOUR_MS = 3_600_000;
/** When the first of them begins: as every clock here. */
const HOUR_ZERO = new HandWoundClock().start;

/** All that is measured, in the order of the table. */
export const STUDIES: readonly Study[] = [
  baseline("H: plain failover, 40 offers, none broken", HEALTHY, TEN_MINUTES),
  baseline("H5: plain failover, 5 offers, none broken", { ...TIGHT, broken: 0 }, TEN_MINUTES),
  baseline("plain failover, 40 offers", USUAL, TEN_MINUTES),
  baseline("boot limit by image size, 40 offers", USUAL, BY_SIZE),
  study("one machine, 40 offers", USUAL, ONE),
  study("one machine, 5 offers", TIGHT, ONE),
  study("the same without hedge, 40 offers", USUAL, { ...ONE, inputs: { hedge: "false" } }, 4),
  study("40% broken, 40 offers", { ...USUAL, broken: 0.4 }, ONE, 4),
  study("the size assumed is half of it", USUAL, { ...ONE, sizeFactor: 0.5 }, 4),
  study("the size assumed is twice of it", USUAL, { ...ONE, sizeFactor: 2 }, 4),
  study("boots of 8 min", { ...USUAL, imageGb: 11.5 }, ONE, 4),
  withHistory("with history, healthy market", HEALTHY),
  withHistory("with history, 40 offers", USUAL),
  withHistory("the second run, an hour later", USUAL, { from: 1, to: 2, trialsPerMarket: 2 }),
  withHistory("the twenty-first to thirtieth run", USUAL, { from: 20 }),
  withHistory("the same, two of ten logs unreadable", USUAL, {
    from: 20,
    isGone: (run) => run % 10 === 3 || run % 10 === 8,
  }),
  study("8 machines, 64 offers", BIG, { jobs: 8, jobSeconds: 600, inputs: { machines: "16" } }, 5),
  study("16 machines and spares, 64 offers", BIG, { jobs: 16, jobSeconds: 600, machines: 64 }, 10),
  study("16 jobs, machines: 16, 64 offers", BIG, { jobs: 16, jobSeconds: 600, inputs: { machines: "16" } }, 10),
  study(
    "32 jobs of 3 min, 16 machines, 4 jobs each",
    BIG,
    { jobs: 32, jobSeconds: 180, inputs: { machines: "16", "jobs-per-machine": "4" } },
    10,
  ),
];

function baseline(name: string, shape: MarketShape, bootLimit: BootLimit): Study {
  const run = async ({ trials, seed }: Trials) =>
    rowOf(name, 1, await outcomes(trials, (trial) => plainFailover(new Market(shape, seed, trial), trial, bootLimit)));
  return { name, run };
}

/** `fewer`: of a study of many machines, so much the fewer trials. */
function study(name: string, shape: MarketShape, use: Play, fewer = 1): Study {
  const inputs = { "machines-per-repository": "100", ...use.inputs };
  const run = async ({ trials, seed }: Trials) => {
    const count = Math.ceil(trials / fewer);
    return rowOf(
      name,
      use.jobs,
      await outcomes(count, (trial) => play(new Market(shape, seed, trial), trial, { ...use, inputs })),
    );
  };
  return { name, run };
}

/** How a study with a history differs: which runs of a workflow count, from 0, and whose logs can't be read. */
interface Course {
  from?: number;
  to?: number;
  isGone?: (run: number) => boolean;
  /** How many trials a market stands for. */
  trialsPerMarket?: number;
}

/** The same hosts hour by hour, a part of them replaced by others. What a run learnt stands in its log. */
function withHistory(name: string, shape: MarketShape, course: Course = {}): Study {
  const run = async ({ trials, seed }: Trials) => {
    const found: Outcome[] = [];
    for (let number = 0; number < trials / (course.trialsPerMarket ?? 40); number += 1)
      found.push(...(await runsOf(new Market(shape, seed + 6, number), number, course)));
    return rowOf(name, 1, found);
  };
  return { name, run };
}

/** Plays the runs of one market, and returns those that count. */
async function runsOf(market: Market, number: number, { from = 0, isGone, to = HOURS }: Course): Promise<Outcome[]> {
  const found: Outcome[] = [];
  const logs = new RunLogs(isGone);
  for (let hour = 0; hour < to; hour += 1) {
    const history = await logs.read(HOUR_ZERO + hour * HOUR_MS);
    const outcome = await play(market, number * HOURS + hour, ONE, { history, hour });
    logs.write(history, outcome.startedAt, outcome.endedAt);
    if (hour >= from) found.push(outcome);
    for (const { host, running, gone } of outcome.bills) host.hasImage ||= running <= gone;
    market.churn(hour);
  }
  return found;
}

async function outcomes(trials: number, one: (trial: number) => Outcome | Promise<Outcome>): Promise<Outcome[]> {
  const found: Outcome[] = [];
  for (let trial = 0; trial < trials; trial += 1) found.push(await one(trial));
  return found;
}

function rowOf(name: string, jobs: number, found: readonly Outcome[]): Sample {
  const ready = found.map((outcome) => Math.min(TRIAL_SECONDS, Math.max(...outcome.ready)));
  return {
    name,
    p50: quantile(ready, 0.5),
    p95: quantile(ready, 0.95),
    p99: quantile(ready, 0.99),
    within15: mean(ready.map((at) => Number(at <= 900))),
    started: mean(found.map(({ bills }) => bills.length)) / jobs,
    usd: mean(found.map(({ bills }) => costOf(bills))) / jobs,
    end95: quantile(
      found.map(({ end }) => end),
      0.95,
    ),
  };
}
