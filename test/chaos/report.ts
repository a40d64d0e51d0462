import type { Death } from "./planned-run.ts";
import { hasDied, type Violation } from "./rules/violation.ts";
import type { RunFacts, StageFacts } from "./run-facts.ts";

/** A day of runs is silent where none breaks a rule. */
const TELL_EVERY = 100;

/** The sums of all runs. */
export class Report {
  readonly #counts = new Map<string, Map<string, number>>();
  readonly #worst = new Map<string, { seconds: number; run: string; times: number }>();
  #runs = 0;
  #broken = 0;
  #leaks = 0;
  #instances = 0;

  get runs(): number {
    return this.#runs;
  }

  /** Takes one run in. */
  add(facts: RunFacts, violations: readonly Violation[]): void {
    this.#runs += 1;
    if (violations.length > 0) this.#broken += 1;
    this.#leaks += violations.filter(({ rule }) => rule === "money").length;
    this.#instances += facts.instances.length;
    for (const line of facts.transcript) for (const kind of faultKinds(line)) this.#count("faults that hit", kind);
    for (const [kind, from, ids] of deathsOf(facts)) {
      this.#count("deaths", kind);
      this.#time(facts, kind, from, ids);
    }
    for (const kind of kindsOf(facts)) this.#count("seen", kind);
    for (const stage of [facts.main, facts.post, ...facts.sweeps]) {
      if (stage) this.#count("ends", endOf(stage));
    }
  }

  /** A line for whoever waits, after every hundredth run. */
  progress(): string | undefined {
    return this.#runs % TELL_EVERY === 0 ? `runs so far: ${this.#runs}; broke a rule: ${this.#broken}` : undefined;
  }

  /** As Markdown lists. */
  lines(): string[] {
    const worst = [...this.#worst].sort(([, left], [, right]) => right.seconds - left.seconds);
    return [
      `runs: ${this.#runs}; machines rented: ${this.#instances}; leaks and other broken rules about money: ${this.#leaks}`,
      ...["seen", "faults that hit", "deaths", "ends"].map((title) => `${title}: ${this.#list(title)}`),
      "worst time from a death to the last machine's end, in simulated seconds (processes start slowly in scaled time):",
      ...worst.map(([kind, { seconds, run, times }]) => `  ${kind}: ${Math.round(seconds)} s (of ${times}; ${run})`),
    ];
  }

  #list(title: string): string {
    const counts = [...(this.#counts.get(title) ?? [])].sort(([, left], [, right]) => right - left);
    return counts.map(([kind, count]) => `${kind} ${count}`).join(", ") || "none";
  }

  #count(title: string, kind: string): void {
    const counts = this.#counts.get(title) ?? new Map<string, number>();
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    this.#counts.set(title, counts);
  }

  #time({ instances, plan }: RunFacts, kind: string, from: number, ids: readonly number[] | undefined): void {
    const concerned = instances.filter(({ id, goneAt }) => (ids?.includes(id) ?? true) && (goneAt ?? from) > from);
    if (concerned.length === 0) return;
    const seconds = Math.max(
      ...concerned.map(({ goneAt = from, createdAt }) => (goneAt - Math.max(from, createdAt)) / 1000),
    );
    const known = this.#worst.get(kind);
    const run = `run ${plan.index} of seed ${plan.seed}`;
    const worse = known === undefined || seconds > known.seconds ? { seconds, run } : known;
    this.#worst.set(kind, { ...worse, times: (known?.times ?? 0) + 1 });
  }
}

/** Marks in main's log of what several machines and hedges brought about. */
const MARKS: readonly [string, RegExp][] = [
  ["late machines", /: late \(/],
  ["unneeded machines", /: unneeded: /],
  ["bound ports", /port is already allocated/],
  ["machines kept for a job that came", /: kept, as GitHub says/],
  ["lost machines", /: lost: /],
  ["adopted creates", /turned up late/],
  ["jobs held back", /max-parallel or a concurrency group/],
];

/** In how many runs there was such a thing. */
function kindsOf({ instances, main, plan, transcript }: RunFacts): string[] {
  return [
    ...(new Set(instances.map(({ label }) => label)).size < instances.length ? ["twins"] : []),
    ...(plan.inputs.machines === undefined ? [] : ["fleets"]),
    ...["max-cost", "keep-failed"].filter((name) => plan.inputs[name] !== undefined),
    ...(plan.otherRunners === undefined ? [] : ["many runners"]),
    ...(transcript.some((line) => line.includes("somebody else rents offer")) ? ["rivals"] : []),
    ...MARKS.flatMap(([kind, mark]) => (mark.test(main.log) ? [kind] : [])),
  ];
}

function faultKinds(line: string): string[] {
  return Array.from(line.matchAll(/\(([a-z-]+)\)/g), ([, kind = ""]) => kind);
}

/** The deaths, their times, and the machines that they are about (undefined: all). */
function deathsOf({ main, post, machineDeaths, plan }: RunFacts): [string, number, number[] | undefined][] {
  const ending = post === undefined ? `no post, ${plan.without}` : hasDied(post) ? "post dies" : "post";
  const found: [string, number, number[] | undefined][] = [];
  if (main.killed)
    found.push([`main ${main.killed.how} ${momentOf(plan.mainDeath)}, ${ending}`, main.killed.at, undefined]);
  if (post?.killed) found.push([`post ${post.killed.how}, ${plan.without}`, post.killed.at, undefined]);
  if (post === undefined && !main.killed)
    found.push([`hosted runner gone after main, ${plan.without}`, main.endedAt, undefined]);
  for (const { at, how, id } of machineDeaths) found.push([`machine ${how}`, at, [id]]);
  return found;
}

/** The entry, its exit code, and the class of its error. */
function endOf({ entry, exitCode, log }: StageFacts): string {
  const error = /^::error title=(?:[^:]* \()?(\w+)\)?::/m.exec(log)?.[1] ?? /Stopped by \w+/.exec(log)?.[0] ?? "";
  return `${entry} ${exitCode ?? "killed"} ${exitCode === 1 ? error : ""}`.trim();
}

function momentOf(death: Death | undefined): string {
  return death?.moment.at === "time" ? "at some time" : "at a request";
}
