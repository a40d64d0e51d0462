import { shrink } from "../stories/shrink.ts";
import type { ChaosOptions } from "./chaos-options.ts";
import { drawPlan, drawRun, PLAIN_PLAN } from "./draw.ts";
import { pastedTest } from "./pasted-test.ts";
import { type Plan, planOf } from "./plan-of.ts";
import type { PlannedRun } from "./planned-run.ts";
import { Report } from "./report.ts";
import { checkRun } from "./rules/check-run.ts";
import type { Violation } from "./rules/violation.ts";
import type { RunFacts } from "./run-facts.ts";
import { playRun } from "./world/play-run.ts";
import type { ProcessList } from "./world/process-list.ts";

/** A run that was played, and the rules that it broke. */
interface Played {
  facts: RunFacts;
  violations: Violation[];
}

/** The first ones are made shorter; more of them rather have the same cause than another one. */
const MOST_SHRUNK = 3;

/** A run that was only late is played alone again, one after the other. */
const MOST_SLOWLY = 10;

/** Plays runs, judges what they broke, and reports it. */
export class Suite {
  readonly #options: ChaosOptions;
  readonly #processes: ProcessList;
  #shrunk = 0;
  #isOver = false;

  constructor(options: ChaosOptions, processes: ProcessList) {
    this.#options = options;
    this.#processes = processes;
  }

  /** One run of the seed, with everything that happened. True when it broke no rule. */
  async playOne(index: number): Promise<boolean> {
    const { factor } = this.#options;
    const one = await this.#play(this.#draw(index), factor);
    if (one.violations.length > 0) await this.#report(one, factor);
    else printStory(one.facts);
    return one.violations.length === 0;
  }

  /** As many as the options say. True when none broke a rule. */
  async playMany(): Promise<boolean> {
    const { seed } = this.#options;
    // First of all, for what ends before the report.
    console.log(`seed: ${seed}`);
    const begun = performance.now();
    const report = new Report();
    const broken = await this.#playAll(report);
    const failed: Played[] = [];
    for (const one of broken) if (await this.#judge(one)) failed.push(one);
    console.log(`\nseed: ${seed}`);
    for (const line of report.lines()) console.log(line);
    for (const { facts } of failed) console.log(this.#headline(facts));
    const seconds = Math.round((performance.now() - begun) / 1000);
    console.log(`${failed.length} of ${report.runs} runs failed, in ${seconds} s`);
    return failed.length === 0;
  }

  /** Ends the drawing, as when the time is over: runs under way are played to their end. */
  drawNoMore(): void {
    this.#isOver = true;
  }

  async #playAll(report: Report): Promise<Played[]> {
    const { factor, minutes, runs, worlds } = this.#options;
    const until = performance.now() + minutes * 60_000;
    const broken: Played[] = [];
    let next = 0;
    const worker = async () => {
      while (!this.#isOver && next < runs && performance.now() < until) {
        const played = await this.#play(this.#draw(next++), factor);
        report.add(played.facts, played.violations);
        const progress = report.progress();
        if (progress !== undefined) console.log(progress);
        if (played.violations.length === 0) continue;
        broken.push(played);
        printFirst(played);
      }
    };
    await Promise.all(Array.from({ length: worlds }, worker));
    return broken;
  }

  #draw(index: number): PlannedRun {
    const { seed, ...only } = this.#options;
    return drawRun(seed, index, only);
  }

  #headline({ plan }: RunFacts): string {
    const flags = `${this.#options.fleets ? " --fleets" : ""}${this.#options.evidence ? " --evidence" : ""}`;
    return `FAILED run ${plan.index}; again: npm run chaos --${flags} --seed ${plan.seed} --run ${plan.index}`;
  }

  async #play(plan: PlannedRun, factor: number): Promise<Played> {
    const facts = await playRun(plan, { factor, processes: this.#processes });
    return { facts, violations: checkRun(facts) };
  }

  /** Plays a late run again, alone at half the speed: the computer's fault does not come again. */
  async #judge(one: Played): Promise<boolean> {
    const { factor } = this.#options;
    const { plan } = one.facts;
    if (one.violations.some(({ rule }) => rule === "money")) {
      await this.#report(one, factor);
      return true;
    }
    const again = await this.#play(this.#draw(plan.index), this.#slowly);
    if (again.violations.length === 0) {
      const texts = one.violations.map(({ text }) => text).join(" ");
      console.log(`run ${plan.index}: only late, and not again alone: ${texts}`);
      return false;
    }
    await this.#report(again, this.#slowly);
    return true;
  }

  get #slowly(): number {
    return Math.max(1, Math.ceil(this.#options.factor / 2));
  }

  async #report(one: Played, factor: number): Promise<void> {
    const { facts, violations } = one;
    console.log(`\n${this.#headline(facts)}`);
    for (const { rule, text } of violations) console.log(`  ${rule}: ${text}`);
    console.log(JSON.stringify(this.#draw(facts.plan.index)));
    const isTooMuch = this.#options.shrink === 0 || this.#shrunk >= MOST_SHRUNK;
    this.#shrunk += 1;
    printStory(isTooMuch ? facts : (await this.#shorten(one, factor)).facts);
  }

  /** Tells the shortest story that breaks one of the same rules, and the test that plays it. */
  async #shorten({ facts, violations }: Played, factor: number): Promise<Played> {
    const { shrink: wanted, worlds } = this.#options;
    const { index, seed } = facts.plan;
    const isLate = !violations.some(({ rule }) => rule === "money");
    const most = isLate ? Math.min(wanted, MOST_SLOWLY) : wanted;
    const play = async (plan: Plan) => {
      const played = await this.#play(planOf(plan, seed, index), factor);
      return isSameFault(played.violations, violations) ? played : undefined;
    };
    // A late run must not be late because of what is played at the same time.
    const whole = drawPlan(seed, index, this.#options);
    const short = await shrink(whole, PLAIN_PLAN, { play, most, atOnce: isLate ? 1 : worlds });
    const left = short.isShortest
      ? "nothing more can be left out"
      : `not all was tried: ${most} plays at most, see --shrink`;
    const shortest = short.broken ?? { facts, violations };
    const texts = shortest.violations.map(({ text }) => text);
    console.log(`made shorter in ${short.plays} plays (${left}); as a test, for a file in test/chaos:`);
    console.log(`\n${pastedTest({ plan: shortest.facts.plan, texts })}`);
    return shortest;
  }
}

/** One of the sentences is the same but for its numbers. */
function isSameFault(found: readonly Violation[], wanted: readonly Violation[]): boolean {
  const shape = ({ rule, text }: Violation) => `${rule} ${text.replace(/\d+/g, "#")}`;
  // Something that is only late where a fault of money is is not what is looked for.
  const isMoney = wanted.some(({ rule }) => rule === "money");
  const shapes = new Set(wanted.filter(({ rule }) => !isMoney || rule === "money").map(shape));
  return found.some((violation) => shapes.has(shape(violation)));
}

function printFirst({ facts: { plan }, violations }: Played): void {
  console.log(`run ${plan.index}: ${violations.map(({ rule, text }) => `${rule}: ${text}`).join(" ")}`);
}

function printStory({ plan, transcript, main, post, sweeps }: RunFacts): void {
  console.log(JSON.stringify(plan));
  console.log(transcript.join("\n"));
  for (const stage of [main, post, ...sweeps]) if (stage) console.log(`--- ${stage.entry}\n${stage.log}`);
}
