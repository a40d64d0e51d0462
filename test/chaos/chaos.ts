import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { judge } from "../stories/referee/referee.ts";
import type { Broken } from "../stories/referee/rule.ts";
import { shrink } from "../stories/shrink.ts";
import { drawPlan, PLAIN_PLAN, type Plan } from "./plan.ts";
import { type PlayedRun, playRun } from "./play-run.ts";
import { endEntries, type Stage } from "./run-entry.ts";
import { planOf } from "./simulated.ts";

/**
 * `npm run chaos -- --runs N --seed S`: plays drawn runs, and prints what they came to; ends with code 1 when a rule was
 * broken. `--run K` plays one of them again and prints its transcript, `--plan FILE` one that was written down. See
 * test/README.md.
 */

/** The whole numbers of the command line, and the least that each may be. */
const LEAST = { runs: 1, seed: 0, run: 0, worlds: 1 } as const;

/** Simulated time runs so many times as fast as real time. */
const FACTOR = 12;
/** How often a failed run may be played again to shorten it. */
const MOST_PLAYS = 40;

/** The first ones are made shorter; more of them rather have the same cause than another one. */
const MOST_SHRUNK = 3;
/** A run that was only late is played alone again, one after the other. */
const MOST_SLOWLY = 10;

/** A run that was played, and the rules that it broke. */
type Judged = PlayedRun & { index: number; plan: Plan; broken: readonly Broken[] };

/** Reads the command line; throws an error that says why not. */
function readOptions() {
  const options = Object.fromEntries(
    ["plan", ...Object.keys(LEAST)].map((name) => [name, { type: "string" as const }]),
  );
  const { plan, ...texts } = parseArgs({ options }).values;
  const given: Partial<Record<keyof typeof LEAST, number>> = {};
  for (const [name, text = ""] of Object.entries(texts) as [keyof typeof LEAST, string][]) {
    given[name] = /^\d{1,9}$/.test(text) ? Number(text) : -1;
    if (given[name] < LEAST[name]) throw new Error(`--${name} must be a whole number, ${LEAST[name]} or more.`);
  }
  return { runs: 20, worlds: 12, seed: Date.now() % 1_000_000, ...given, plan };
}

/** Plays runs, has the referee judge them, and reports it. */
class Chaos {
  readonly #options: ReturnType<typeof readOptions>;
  readonly #counts = new Map<string, number>();
  #shrunk = 0;
  /** No further run is drawn; runs under way are played to their end. */
  isOver = false;

  constructor(options: ReturnType<typeof readOptions>) {
    this.#options = options;
  }

  /** One run, with everything that happened: of the seed, or that was written down. True when it broke no rule. */
  async playOne(index: number, plan = this.#draw(index)): Promise<boolean> {
    const one = await this.#play(plan, index);
    for (const { rule, text } of one.broken) console.log(`  ${rule}: ${text}`);
    printStory(one);
    return one.broken.length === 0;
  }

  /** As many as the options say. True when none broke a rule. */
  async playMany(): Promise<boolean> {
    const { runs, seed, worlds } = this.#options;
    // First of all, for what ends before the report.
    console.log(`seed: ${seed}`);
    const begun = performance.now();
    const broken: Judged[] = [];
    let next = 0;
    const worker = async () => {
      while (!this.isOver && next < runs) {
        const one = await this.#play(this.#draw(next), next++);
        this.#count(one);
        if (one.broken.length === 0) continue;
        console.log(`run ${one.index}: ${textOf(one)}`);
        broken.push(one);
      }
    };
    await Promise.all(Array.from({ length: worlds }, worker));
    const failed: Judged[] = [];
    for (const one of broken) if (await this.#isToBlame(one)) failed.push(one);
    console.log(`\nseed: ${seed}`);
    for (const [kind, count] of [...this.#counts].toSorted()) console.log(`${kind}: ${count}`);
    for (const one of failed) console.log(this.#headline(one));
    const seconds = Math.round((performance.now() - begun) / 1000);
    console.log(`${failed.length} of ${next} runs failed, in ${seconds} s`);
    return failed.length === 0;
  }

  #draw(index: number): Plan {
    return drawPlan(this.#options.seed, index);
  }

  #headline({ index }: Judged): string {
    return `FAILED run ${index}; again: npm run chaos -- --seed ${this.#options.seed} --run ${index}`;
  }

  async #play(plan: Plan, index: number, factor = FACTOR): Promise<Judged> {
    const played = await playRun(planOf(plan, index), factor);
    return { ...played, index, plan, broken: judge(played.record) };
  }

  /** What was met, and how processes ended. */
  #count({ broken, deaths, record, stages }: Judged): void {
    const kinds = [
      "runs",
      ...(broken.length > 0 ? ["runs that broke a rule"] : []),
      ...record.happened.boxes.map(() => "machines rented"),
      ...record.faults.met.map(({ fault }) => `faults that hit ${fault.where}`),
      ...deaths.map(({ how }) => `machines ${how}`),
      ...stages.map(endOf),
    ];
    for (const kind of kinds) this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
  }

  /** Plays a late run again, alone at half the speed: the computer's fault does not come again. */
  async #isToBlame(one: Judged): Promise<boolean> {
    const factor = isLate(one) ? FACTOR / 2 : FACTOR;
    const again = isLate(one) ? await this.#play(one.plan, one.index, factor) : one;
    if (again.broken.length === 0) {
      console.log(`run ${one.index}: only late, and not again alone: ${textOf(one)}`);
      return false;
    }
    console.log(`\n${this.#headline(again)}\n  ${textOf(again)}`);
    this.#shrunk += 1;
    printStory(this.#shrunk > MOST_SHRUNK ? again : await this.#shorten(again, factor));
    return true;
  }

  /** Finds the shortest plan that breaks one of the same rules. */
  async #shorten(one: Judged, factor: number): Promise<Judged> {
    const rules = new Set(one.broken.filter((each) => isLate(one) || !each.isLate).map(({ rule }) => rule));
    const play = async (plan: Plan) => {
      const played = await this.#play(plan, one.index, factor);
      return played.broken.some(({ rule }) => rules.has(rule)) ? played : undefined;
    };
    // A late run must not be late because of what is played at the same time.
    const most = isLate(one) ? { most: MOST_SLOWLY, atOnce: 1 } : { most: MOST_PLAYS, atOnce: this.#options.worlds };
    const { broken = one, plays } = await shrink(one.plan, PLAIN_PLAN, { play, ...most });
    console.log(`made shorter in ${plays} plays of ${most.most}; again with --plan and a file that has this:`);
    return broken;
  }
}

/** The entry, what ended it, its exit code, and the class of its error. */
function endOf({ entry, exitCode, killed, log }: Stage): string {
  const error = /^::error title=(?:[^:]* \()?(\w+)\)?::/m.exec(log)?.[1] ?? "";
  return `${entry} ended by ${killed ?? "itself"} with ${exitCode ?? "nothing"} ${exitCode === 1 ? error : ""}`.trim();
}

/** Nothing but what load alone can cause. */
function isLate({ broken }: Judged): boolean {
  return broken.every((each) => each.isLate);
}

function textOf({ broken }: Judged): string {
  return broken.map(({ rule, text }) => `${rule}: ${text}.`).join(" ");
}

function printStory({ plan, stages, transcript }: Judged): void {
  console.log(JSON.stringify(plan));
  console.log(transcript.join("\n"));
  for (const { entry, log } of stages) console.log(`--- ${entry}\n${log}`);
}

function endAtOnce(): never {
  endEntries();
  process.exit(1);
}

async function main(): Promise<boolean> {
  const options = readOptions();
  // Every world has its files in here; what still runs ends by itself when this process is gone.
  const folder = mkdtempSync(join(tmpdir(), "chaos-"));
  process.env.TMPDIR = folder;
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const chaos = new Chaos(options);
  process.once("SIGTERM", endAtOnce);
  process.once("SIGINT", () => {
    process.once("SIGINT", endAtOnce);
    chaos.isOver = true;
  });
  const { plan, run } = options;
  if (plan !== undefined) return await chaos.playOne(run ?? 0, JSON.parse(readFileSync(plan, "utf8")));
  return run === undefined ? await chaos.playMany() : await chaos.playOne(run);
}

try {
  process.exitCode = (await main()) ? 0 : 1;
} catch (fault) {
  // A mistake in the command line needs no stack.
  const isUsage = fault instanceof Error && /^(?:--|Unknown option|Option|Unexpected argument)/.test(fault.message);
  if (!isUsage) throw fault;
  console.error(fault.message.split(". ")[0]);
  process.exitCode = 1;
}
