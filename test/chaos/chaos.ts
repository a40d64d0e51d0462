import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { checkRun, type Violation } from "./check-run.ts";
import { drawRun } from "./draw-run.ts";
import { playRun } from "./play-run.ts";
import { ProcessList } from "./process-list.ts";
import { Report } from "./report.ts";
import { endEntries } from "./run-entry.ts";
import type { RunFacts } from "./run-facts.ts";

/**
 * `npm run chaos -- --runs N --seed S`: plays N drawn runs and prints what they came to; ends with code 1 when a rule was broken. `--run K` plays
 * one of them again and prints its transcript. See README.md.
 */

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "20" },
    seed: { type: "string" },
    run: { type: "string" },
    /** Runs side by side. */
    worlds: { type: "string", default: "12" },
    factor: { type: "string", default: "12" },
    transcript: { type: "boolean", default: false },
  },
});
const seed = wholeNumber("seed", values.seed ?? String(Date.now() % 1_000_000));
const factor = wholeNumber("factor", values.factor);

function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`--${name} must be a whole number, not ${text}.`);
  return Number(text);
}

interface Broken {
  facts: RunFacts;
  violations: Violation[];
}

async function play(index: number, processes: ProcessList, speed: number): Promise<Broken> {
  const facts = await playRun(drawRun(seed, index), { factor: speed, processes });
  return { facts, violations: checkRun(facts) };
}

async function playAll(indices: number[], report: Report, processes: ProcessList): Promise<Broken[]> {
  const broken: Broken[] = [];
  const rest = [...indices];
  const worker = async () => {
    for (let index = rest.shift(); index !== undefined; index = rest.shift()) {
      const played = await play(index, processes, factor);
      report.add(played.facts, played.violations);
      if (played.violations.length > 0) broken.push(played);
    }
  };
  await Promise.all(Array.from({ length: wholeNumber("worlds", values.worlds) }, worker));
  return broken;
}

/** What was only late is played again alone and at half the speed: what was the computer's fault does not come again. */
async function judge(one: Broken, processes: ProcessList): Promise<boolean> {
  const { plan } = one.facts;
  const isMoney = one.violations.some(({ rule }) => rule === "money");
  if (!isMoney) {
    const again = await play(plan.index, processes, Math.max(1, factor / 2));
    if (again.violations.length === 0) {
      console.log(
        `run ${plan.index}: only late, and not again alone: ${one.violations.map(({ text }) => text).join(" ")}`,
      );
      return false;
    }
  }
  tell(one);
  return true;
}

function tell({ facts, violations }: Broken): void {
  console.log(`\n${headline(facts)}`);
  for (const { rule, text } of violations) console.log(`  ${rule}: ${text}`);
  tellStory(facts);
}

function headline({ plan }: RunFacts): string {
  return `FAILED run ${plan.index}; again: npm run chaos -- --seed ${plan.seed} --run ${plan.index}`;
}

function tellStory({ plan, transcript, main, post, sweeps }: RunFacts): void {
  console.log(JSON.stringify(plan));
  console.log(transcript.join("\n"));
  for (const stage of [main, post, ...sweeps]) if (stage) console.log(`--- ${stage.entry}\n${stage.log}`);
}

async function runAll(): Promise<boolean> {
  using processes = new ProcessList();
  if (values.run !== undefined) {
    const one = await play(wholeNumber("run", values.run), processes, factor);
    if (one.violations.length === 0) tellStory(one.facts);
    else tell(one);
    return one.violations.length === 0;
  }
  // First of all, for what ends before the report.
  console.log(`seed: ${seed}`);
  const begun = performance.now();
  const report = new Report();
  const runs = wholeNumber("runs", values.runs);
  const broken = await playAll([...Array(runs).keys()], report, processes);
  const failed: Broken[] = [];
  for (const one of broken) if (await judge(one, processes)) failed.push(one);
  console.log(`\nseed: ${seed}`);
  for (const line of report.lines()) console.log(line);
  for (const { facts } of failed) console.log(headline(facts));
  console.log(`${failed.length} of ${runs} runs failed, in ${Math.round((performance.now() - begun) / 1000)} s`);
  return failed.length === 0;
}

/** The machines end by themselves when this process is gone. */
function stop(): void {
  endEntries();
  process.exit(1);
}

/** Every world has its files in here. */
const folder = mkdtempSync(join(tmpdir(), "chaos-"));
process.env.TMPDIR = folder;
const removeFolder = () => rmSync(folder, { recursive: true, force: true });
process.once("exit", removeFolder);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, stop);
process.exitCode = (await runAll()) ? 0 : 1;
