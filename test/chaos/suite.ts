import { judge } from "../stories/referee/referee.ts";
import type { Broken } from "../stories/referee/rule.ts";
import { shrink } from "../stories/shrink.ts";
import type { ChaosOptions } from "./chaos-options.ts";
import { drawPlan, PLAIN_PLAN } from "./draw.ts";
import { type Plan, planOf } from "./plan-of.ts";
import { Report } from "./report.ts";
import { type PlayedRun, playRun } from "./world/play-run.ts";
import type { ProcessList } from "./world/process-list.ts";

/** A run that was played, and the rules that it broke. */
interface Judged extends PlayedRun {
  broken: readonly Broken[];
}

/** The first ones are made shorter; more of them rather have the same cause than another one. */
const MOST_SHRUNK = 3;
/** A run that was only late is played alone again, one after the other. */
const MOST_SLOWLY = 10;

/** Plays runs, has the referee judge them, and reports it. */
export class Suite {
  readonly #options: ChaosOptions;
  readonly #processes: ProcessList;
  #shrunk = 0;
  #isOver = false;

  constructor(options: ChaosOptions, processes: ProcessList) {
    this.#options = options;
    this.#processes = processes;
  }

  /** One run, with everything that happened: of the seed, or that was written down. True when it broke no rule. */
  async playOne(index: number, written = this.#draw(index)): Promise<boolean> {
    const one = await this.#play(written, index, this.#options.factor);
    for (const { rule, text } of one.broken) console.log(`  ${rule}: ${text}`);
    printStory(one);
    return one.broken.length === 0;
  }

  /** As many as the options say. True when none broke a rule. */
  async playMany(): Promise<boolean> {
    const { seed } = this.#options;
    // First of all, for what ends before the report.
    console.log(`seed: ${seed}`);
    const begun = performance.now();
    const report = new Report();
    const broken = await this.#playAll(report);
    const failed: Judged[] = [];
    for (const one of broken) if (await this.#isToBlame(one)) failed.push(one);
    console.log(`\nseed: ${seed}`);
    for (const line of report.lines()) console.log(line);
    for (const one of failed) console.log(this.#headline(one));
    const seconds = Math.round((performance.now() - begun) / 1000);
    console.log(`${failed.length} of ${report.runs} runs failed, in ${seconds} s`);
    return failed.length === 0;
  }

  /** Ends the drawing, as when the time is over: runs under way are played to their end. */
  drawNoMore(): void {
    this.#isOver = true;
  }

  async #playAll(report: Report): Promise<Judged[]> {
    const { factor, minutes, runs, worlds } = this.#options;
    const until = performance.now() + minutes * 60_000;
    const broken: Judged[] = [];
    let next = 0;
    const worker = async () => {
      while (!this.#isOver && next < runs && performance.now() < until) {
        const index = next++;
        const played = await this.#play(this.#draw(index), index, factor);
        report.add(played);
        if (played.broken.length === 0) continue;
        broken.push(played);
        console.log(`run ${index}: ${textOf(played)}`);
      }
    };
    await Promise.all(Array.from({ length: worlds }, worker));
    return broken;
  }

  #draw(index: number): Plan {
    return drawPlan(this.#options.seed, index);
  }

  #headline({ plan }: PlayedRun): string {
    return `FAILED run ${plan.index}; again: npm run chaos -- --seed ${plan.seed} --run ${plan.index}`;
  }

  async #play(plan: Plan, index: number, factor: number): Promise<Judged> {
    const planned = planOf(plan, this.#options.seed, index);
    const played = await playRun(planned, { factor, processes: this.#processes });
    return { ...played, broken: judge(played.record) };
  }

  /** Plays a late run again, alone at half the speed: the computer's fault does not come again. */
  async #isToBlame(one: Judged): Promise<boolean> {
    const { factor } = this.#options;
    const { index } = one.plan;
    const again = isLate(one) ? await this.#play(this.#draw(index), index, this.#slowly) : one;
    if (again.broken.length === 0) console.log(`run ${index}: only late, and not again alone: ${textOf(one)}`);
    else await this.#report(again, isLate(one) ? this.#slowly : factor);
    return again.broken.length > 0;
  }

  get #slowly(): number {
    return Math.max(1, Math.ceil(this.#options.factor / 2));
  }

  async #report(one: Judged, factor: number): Promise<void> {
    console.log(`\n${this.#headline(one)}\n  ${textOf(one)}`);
    const isTooMuch = this.#options.shrink === 0 || this.#shrunk >= MOST_SHRUNK;
    this.#shrunk += 1;
    printStory(isTooMuch ? one : await this.#shorten(one, factor));
  }

  /** Tells the shortest plan that breaks one of the same rules. */
  async #shorten(one: Judged, factor: number): Promise<Judged> {
    const { shrink: wanted, worlds } = this.#options;
    const { index } = one.plan;
    const most = isLate(one) ? Math.min(wanted, MOST_SLOWLY) : wanted;
    const rules = new Set(one.broken.filter((each) => isLate(one) || !each.isLate).map(({ rule }) => rule));
    const play = async (plan: Plan) => {
      const played = await this.#play(plan, index, factor);
      return played.broken.some(({ rule }) => rules.has(rule)) ? played : undefined;
    };
    // A late run must not be late because of what is played at the same time.
    const atOnce = isLate(one) ? 1 : worlds;
    const {
      broken: shortest = one,
      isShortest,
      plan,
      plays,
    } = await shrink(this.#draw(index), PLAIN_PLAN, {
      ...{ play, most, atOnce },
    });
    const left = isShortest ? "nothing more can be left out" : `not all was tried: ${most} plays at most, see --shrink`;
    console.log(`made shorter in ${plays} plays (${left}); again with --plan and a file that has this:`);
    console.log(JSON.stringify(plan));
    return shortest;
  }
}

/** Nothing but what load alone can cause. */
function isLate({ broken }: Judged): boolean {
  return broken.every((each) => each.isLate);
}

function textOf({ broken }: Judged): string {
  return broken.map(({ rule, text }) => `${rule}: ${text}.`).join(" ");
}

function printStory({ plan, stages, transcript }: PlayedRun): void {
  console.log(JSON.stringify(plan));
  console.log(transcript.join("\n"));
  for (const { entry, log } of stages) console.log(`--- ${entry}\n${log}`);
}
