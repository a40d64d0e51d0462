import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { FIGURES, type Recorded, replayed } from "./figures.ts";
import { verdicts } from "./goals.ts";
import { type Row, rowOfSeeds } from "./row.ts";
import { type Sample, STUDIES } from "./studies.ts";
import { goalLine, HEADING, line } from "./table.ts";

const OPTIONS = {
  trials: { type: "string", default: "250" },
  seeds: { type: "string", default: "21,22,23,24,25,26,27,28" },
  record: { type: "boolean", default: false },
} as const;

/**
 * `npm run bench -- market [--trials N] [--seeds A,B,…] [--record]`: the loop of the action on a
 * drawn market, with a clock that is wound by hand; N trials of each seed. `--record` writes what
 * the docs quote. Sets the exit code 1 when a goal is missed.
 */
export async function benchMarket(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  const trials = wholeNumber("trials", values.trials);
  const seeds = values.seeds.split(",").map((seed) => wholeNumber("seeds", seed));
  const began = Date.now();
  console.log(
    `${seeds.length} seeds (${seeds.join(", ")}) of ${trials} trials, fewer of slow studies: means over the seeds ± their standard error. Seconds until a machine is ready (of several: all of them); machines and USD for a job.`,
  );
  console.log(HEADING);
  const rows = await inParallel(trials, seeds, (row) => console.log(line(row)));
  console.log("");
  const judged = verdicts(rows);
  for (const verdict of judged) console.log(goalLine(verdict));
  console.log(`${Math.round((Date.now() - began) / 1000)} s.`);
  if (values.record) await record({ trials, seeds, rows });
  if (judged.some(({ isMissed }) => isMissed)) process.exitCode = 1;
}

async function record(measured: Omit<Recorded, "replayed">): Promise<void> {
  const recorded: Recorded = { ...measured, replayed: await replayed() };
  writeFileSync(FIGURES, `${JSON.stringify(recorded, null, 2)}\n`);
  console.log(`Recorded in ${FIGURES}. Quote it: docs/internals/bill.md, "In a bad market".`);
}

function wholeNumber(name: string, text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text))
    throw new Error(`--${name} takes whole numbers from 1 to 999999, given was ${text}.`);
  return Number(text);
}

/** A study and seed on each core; studies are printed in their order. */
async function inParallel(trials: number, seeds: readonly number[], print: (row: Row) => void): Promise<Row[]> {
  const waiting = [...STUDIES.keys()].flatMap((index) => seeds.map((seed) => ({ index, trials, seed })));
  const samples: Sample[][] = STUDIES.map(() => []);
  const rows: Row[] = [];
  const work = async () => {
    for (let task = waiting.shift(); task !== undefined; task = waiting.shift()) {
      samples[task.index]?.push(await inWorker(task));
      for (let next = samples[rows.length]; next?.length === seeds.length; next = samples[rows.length]) {
        rows.push(rowOfSeeds(next));
        print(rowOfSeeds(next));
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(4, availableParallelism()) }, work));
  return rows;
}

interface Task {
  index: number;
  trials: number;
  seed: number;
}

function inWorker(task: Task): Promise<Sample> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: task });
    worker.once("message", resolve).once("error", reject);
    worker.once("exit", (code) => reject(new Error(`A study ended with ${code} and no row.`)));
  });
}

if (!isMainThread) {
  const { index, ...trials } = workerData as Task;
  parentPort?.postMessage(await STUDIES[index]?.run(trials));
}
