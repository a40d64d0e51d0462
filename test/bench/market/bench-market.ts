import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { verdicts } from "./goals.ts";
import { type Row, STUDIES, type Trials } from "./studies.ts";
import { goalLine, HEADING, line } from "./table.ts";

/**
 * `npm run bench -- market [--trials N] [--seed S]`: the loop of the action on a drawn market, with
 * a clock that is wound by hand. Sets the exit code 1 when a goal is missed.
 */
export async function benchMarket(args: readonly string[]): Promise<void> {
  const options = { trials: { type: "string", default: "2000" }, seed: { type: "string", default: "1" } } as const;
  const { values } = parseArgs({ args: [...args], options });
  const trials: Trials = { trials: wholeNumber("trials", values.trials), seed: wholeNumber("seed", values.seed) };
  const began = Date.now();
  console.log(
    `A market of ${trials.trials} trials, seed ${trials.seed}. Seconds until a machine is ready (of several: all of them); machines and USD for a job.`,
  );
  console.log(HEADING);
  const rows = await inParallel(trials, (row) => console.log(line(row)));
  console.log("");
  const judged = verdicts(rows);
  for (const verdict of judged) console.log(goalLine(verdict));
  console.log(`${Math.round((Date.now() - began) / 1000)} s.`);
  if (judged.some(({ isMissed }) => isMissed)) process.exitCode = 1;
}

function wholeNumber(name: string, text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text))
    throw new Error(`--${name} takes a whole number from 1 to 999999, given was ${text}.`);
  return Number(text);
}

/** A study on each core, told in their order. */
async function inParallel(trials: Trials, tell: (row: Row) => void): Promise<Row[]> {
  const waiting = [...STUDIES.keys()];
  const rows: (Row | undefined)[] = [];
  let told = 0;
  const work = async () => {
    for (let index = waiting.shift(); index !== undefined; index = waiting.shift()) {
      rows[index] = await inWorker({ index, trials });
      for (let next = rows[told]; next !== undefined; next = rows[told]) {
        tell(next);
        told += 1;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(4, availableParallelism()) }, work));
  return rows.flatMap((row) => row ?? []);
}

interface Task {
  index: number;
  trials: Trials;
}

function inWorker(task: Task): Promise<Row> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: task });
    worker.once("message", resolve).once("error", reject);
    worker.once("exit", (code) => reject(new Error(`A study ended with ${code} and no row.`)));
  });
}

if (!isMainThread) {
  const { index, trials } = workerData as Task;
  parentPort?.postMessage(await STUDIES[index]?.run(trials));
}
