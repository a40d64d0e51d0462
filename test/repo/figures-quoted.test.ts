import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { inputSchema } from "../../src/action/inputs/schema.ts";
import { LATE } from "../../src/fleet/lifecycle/late.ts";
import { KEPT_MS } from "../../src/history/hosts.ts";
import { RUNNER_GB } from "../../src/money/cost.ts";
import { HOSTED_RUNNER_USD_PER_MINUTE } from "../../src/money/price.ts";
import { DESTROY_WITHIN_MS } from "../../src/release/destroy.ts";
import { HOUR_MS } from "../../src/shared/duration.ts";
import { longestAutoBootMs, longestToReadyMs } from "../../src/timing/limits.ts";
import { TUNING } from "../../src/timing/tuning.ts";
import { filesIn, textOf } from "./support/repository.ts";

// Red: a page has another figure than the code. Mend the page, or this row where its sentence changed.

const WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
const FIGURE = `(\\d[\\d,]*(?:\\.\\d+)?|an?|half|twice|thirty|${WORDS.join("|")})`;

function numberOf(written = ""): number {
  const odd: Record<string, number> = { a: 1, an: 1, half: 0.5, twice: 2, thirty: 30 };
  const word = odd[written] ?? WORDS.indexOf(written);
  return word < 0 ? Number(written.replaceAll(",", "")) : word;
}

/** A page as one line, whatever its lines are. */
function lineOf(page: string): string {
  return textOf(page).replace(/\s+/g, " ");
}

const UNITS: Record<string, number> = { SECOND: 1000, MINUTE: 60_000, HOUR_MS };

/** A constant that its file alone has: a product of numbers and units. */
function constant(file: string, name: string): number {
  const [, value] = new RegExp(`\\b${name}(?:: number)?(?: =|:) ([\\w. *]+?)(?:[;,]| \\})`).exec(textOf(file)) ?? [];
  if (value === undefined) throw new Error(`${file} has no ${name}.`);
  return value
    .split(" * ")
    .reduce((product, factor) => product * (UNITS[factor] ?? Number(factor.replaceAll("_", ""))), 1);
}

const action = parse(textOf("action.yml")) as { inputs: Record<string, { default?: string }> };

/** The default of an input as the code has it: a duration in milliseconds. */
function fallback(name: keyof typeof inputSchema.shape): unknown {
  return inputSchema.shape[name].parse(action.inputs[name]?.default);
}

const duration = (name: keyof typeof inputSchema.shape) => Number(fallback(name));

/** The highest number that an input may have. */
function mostOf(name: "machines" | "jobs-per-machine"): number {
  const numbers = Array.from({ length: 100 }, (_, index) => 100 - index);
  return numbers.find((each) => inputSchema.shape[name].safeParse(String(each)).success) ?? Number.NaN;
}

/** A figure of a script that runs on the machine. */
function inScript(script: string, what: RegExp): number {
  return Number(what.exec(textOf(`onstart/${script}`))?.[1]);
}

const seconds = (ms: number) => ms / 1000;
const minutes = (ms: number) => ms / 60_000;
const hours = (ms: number) => ms / HOUR_MS;
const toCents = (usd: number) => Number(usd.toFixed(2));

const HURRY = "src/fleet/hurry.ts";
const PACE = "src/fleet/pace.ts";
const ofRequest = (name: string) => constant("src/action/request.ts", name);
const HOLDING = "docs/internals/holding.md";
const BILL = "docs/internals/bill.md";
const COSTS = "docs/costs.md";
const RUNS = "docs/while-it-runs.md";
const TROUBLE = "docs/troubleshooting.md";
const THREATS = "docs/internals/threat-model.md";

const READY = { onlineMs: duration("online-timeout"), readyMs: duration("ready-timeout") };
/** The least and the most that a machine may live by the defaults, in hours and minutes. */
const LIVES = [TUNING.limits.shortestMs, longestAutoBootMs(READY)]
  .map((bootMs) => longestToReadyMs({ ...READY, bootMs }) + duration("max-lifetime"))
  .flatMap((ms) => [Math.floor(hours(ms)), minutes(ms) % 60]);
const EXPIRY = constant("src/timing/limits.ts", "EXPIRY_MARGIN_MS");
const ENDING = constant("src/money/budget.ts", "ENDING_MS");
const USUAL_BOOT = constant("src/money/budget.ts", "USUAL_BOOT_MS");
const LEAST_WORK = constant("src/money/budget.ts", "LEAST_WORK_MS");
/** The least that max-cost must pay for. */
const LEAST = USUAL_BOOT + READY.onlineMs + LEAST_WORK + ENDING;
const BOOT_PACE = constant(PACE, "BOOT_MS");
const STARTING = constant(PACE, "STARTING_MS");
const OTHERS = minutes(constant("src/runs/decide-end.ts", "OTHERS_MAY_TAKE_MS"));
const STUCK = minutes(constant("src/runs/stuck-runs.ts", "STUCK_AFTER_MS"));
const SERVICE = seconds(constant("src/marketplace/vast/service-client.ts", "PATIENCE_MS"));
const LEFT_FOR_JOBS = seconds(constant("src/release/after-cancel.ts", "LEFT_FOR_JOBS_MS"));
const SCHEMA = "src/action/inputs/schema.ts";
const MACHINES = constant(SCHEMA, "usual");
const WITH_VOLUME = constant(SCHEMA, "withVolume");
const OF_REPOSITORY = constant(SCHEMA, "perRepository");
const { boot, cost, late, limits } = TUNING;

/** A page, a sentence of it with {} for each figure, and these figures as the code has them. */
const ROWS: readonly (readonly [page: string, sentence: string, ...figures: number[]])[] = [
  ["README.md", "at the latest {} hours after its first runner was online", hours(duration("max-lifetime"))],
  ["README.md", "at a time, 1 to {}. `auto`: {}, or {} with a volume", mostOf("machines"), MACHINES, WITH_VOLUME],
  ["README.md", "one machine runs, one after the other, 1 to {}.", mostOf("jobs-per-machine")],
  ["action.yml", "rented at the same time, 1 to {}.", mostOf("machines")],
  ["action.yml", "auto: {}, or {} with volume-id", MACHINES, WITH_VOLUME],
  ["action.yml", "auto: {}, or machines if that is more", OF_REPOSITORY],
  ["action.yml", "one machine runs, one after the other, 1 to {}.", mostOf("jobs-per-machine")],
  ["action.yml", "Empty: {}. Each job of the run", Math.round(minutes(TUNING.cost.priorJobMs))],
  ["action.yml", "auto: {} times the boot that image size and download speed let expect", limits.patience],
  ["action.yml", "let expect ({} if machines allows no other one meanwhile)", limits.patienceWithoutRoom],
  ["action.yml", "no other one meanwhile), from {}m to {}m", minutes(limits.shortestMs), minutes(limits.longestMs)],
  ["action.yml", "auto: {}, or {} when the image's tag says devel", ...["usual", "devel"].map(ofRequest)],
  ["action.yml", "At {}% each run warns", 100 * constant("src/money/month.ts", "WARNED_PART")],
  ["action.yml", "asks each machine's driver every {} s", inScript("figures.sh", /noheader,nounits -l (\d+)/)],
  ["docs/gpu-figures.md", "its machine asks the driver every {} s", inScript("figures.sh", /nounits -l (\d+)/)],
  ["docs/images.md", "for at most {} s. If it fails", inScript("work.sh", /run_users probe "\$GHR_PROBE" (\d+)/)],
  [RUNS, "**A machine lives for {} hours at most**", hours(duration("max-lifetime"))],
  [RUNS, "jobs of more than {} hours | `max-lifetime`", hours(duration("max-lifetime"))],
  [RUNS, "and `machines-per-repository` above {} |", OF_REPOSITORY],
  [RUNS, "reads them within {} seconds", seconds(constant("src/history/earlier-runs.ts", "READ_WITHIN_MS"))],
  [RUNS, "Facts expire after {} days", KEPT_MS / 24 / HOUR_MS],
  [RUNS, "The job that rents waits up to {} minutes for that", OTHERS],
  ["docs/first-run.md", "a GPU job has waited for {} minutes with no machine", STUCK],
  ["sweep/action.yml", "a GPU job has waited for {} minutes", STUCK],
  [COSTS, "for `boot-timeout` ({} minutes with `auto`)", minutes(USUAL_BOOT)],
  [COSTS, "{} minutes of work and {} minute for the end, and the", minutes(LEAST_WORK), minutes(ENDING)],
  [COSTS, "With the defaults that is {} minutes, or {} at 0.35 an hour", minutes(LEAST), toCents(0.35 * hours(LEAST))],
  [COSTS, "At {}% each run warns", 100 * constant("src/money/month.ts", "WARNED_PART")],
  [COSTS, "per GB of traffic, in each direction ({})", Number(fallback("max-traffic-price"))],
  [COSTS, "within {} s, or after `idle-timeout` if more jobs will come", seconds(DESTROY_WITHIN_MS.main)],
  [COSTS, "seen within {} s", seconds(LATE.lookAgain)],
  [COSTS, "up to {} s while a job runs. It has {} minutes", LEFT_FOR_JOBS, minutes(DESTROY_WITHIN_MS.post)],
  [COSTS, "post for {} minutes, the machine for some nine", minutes(DESTROY_WITHIN_MS.post)],
  [COSTS, "GitHub's price of 2026 ({} a minute", HOSTED_RUNNER_USD_PER_MINUTE],
  [COSTS, "its creation: {} h {} min to {} h {} min by default", ...LIVES],
  [BILL, "(defaults: {} h {} min to {} h {} min)", ...LIVES],
  [BILL, "the label's expiry = deadline + {} min", minutes(EXPIRY)],
  [BILL, "at least `ready-timeout` ({} minutes)", minutes(READY.readyMs)],
  [BILL, "Failed machines count, each with {} s more", seconds(constant("src/money/max-cost.ts", "SEEN_LATE_MS"))],
  [BILL, "{} GB are reserved for it ({} GB for a `devel` tag)", boot.unknownGb.usual, boot.unknownGb.devel],
  [BILL, "{} USD an hour for the boot, and {} USD an hour for", cost.waitingUsdPerHour, cost.urgentUsdPerHour],
  [BILL, "for a failed wait. A job is expected to take {} minutes", Math.round(minutes(cost.priorJobMs))],
  [BILL, "image and runner program ({} GB)", RUNNER_GB],
  [BILL, "(`src/money/`): {} a minute", HOSTED_RUNNER_USD_PER_MINUTE],
  [BILL, "in ticks of {} s", seconds(LATE.tick)],
  ["docs/internals/glossary.md", "destroys itself, set at its creation; {} minutes later", minutes(EXPIRY)],
  [HOLDING, "main asks again every {} s until the deadline", seconds(LATE.lookAgain)],
  [HOLDING, "counts when two creates get it, at least {} s apart", seconds(LATE.confirmed)],
  [HOLDING, "counts from {} s before the last list without it", seconds(LATE.tick)],
  [HOLDING, "and {} s later GitHub still lists it as running", seconds(LATE.job)],
  [HOLDING, "late end was over {} s before the list of jobs", seconds(LATE.job + LATE.endsItself)],
  [HOLDING, "or at most {} s before, and the machine had not gone", seconds(LATE.tick + LATE.clocks)],
  [HOLDING, "a list more than {} s after the job's end", seconds(LATE.list)],
  [HOLDING, "had been gone for more than {} s, by two lists", seconds(LATE.github)],
  [HOLDING, "its runner had been offline for more than {} s", seconds(LATE.github)],
  [HOLDING, "One for one job, {} n for more", constant("src/fleet/renting/how-many.ts", "SPARES")],
  [HOLDING, "up to 2 n or n + {} are kept", constant("src/fleet/renting/how-many.ts", "SURPLUS")],
  [HOLDING, "after {} times its expected boot (at least {} s)", late.usual, seconds(late.leastMs)],
  [HOLDING, "or not online {} s after that", seconds(late.onlineMs)],
  [HOLDING, "{} the expected boot (at least {} minutes)", limits.patienceWithoutRoom, minutes(limits.shortestMs)],
  [HOLDING, "(at least 5 minutes) instead of {} times", limits.patience],
  [HOLDING, "times, and {} minutes after", minutes(limits.patienceWithoutRoom * late.onlineMs)],
  [HOLDING, "its late end is over by {} s", seconds(LATE.endsItself)],
  [HOLDING, "its runner has been offline for {} minutes", minutes(LATE.served)],
  [HOLDING, "no list has had for {} minutes", minutes(LATE.listed)],
  [HOLDING, "`idle-timeout` ({} to {} minutes) of jobs lists", minutes(LATE.served), minutes(LATE.listed)],
  [HOLDING, "destroyed {} s after its job's end", seconds(LATE.givesItselfBack)],
  [HOLDING, "If no machine is alive, it fails after {} minutes", minutes(LATE.jobsUnread)],
  [HOLDING, "nothing else has been open for {} s", seconds(LATE.github)],
  [HOLDING, "for {} minutes a job without a runner asks for a mistyped label", minutes(LATE.served)],
  [HOLDING, "differs by at most {} letters", constant("src/github/mistyped-label.ts", "MOST_LABEL_SLIPS")],
  [HOLDING, "({} s at most)", seconds(DESTROY_WITHIN_MS.main)],
  [HOLDING, "at instances every {} s ({} s while one boots)", seconds(LATE.lookAgain), Math.floor(seconds(BOOT_PACE))],
  [HOLDING, "At runners every {} s while one starts", seconds(STARTING)],
  [HOLDING, "starts, and every {} s while one job is left", 2 * seconds(STARTING)],
  [HOLDING, "(with an App's token in the first {} minutes alone)", minutes(constant(HURRY, "TOKEN_LIVES_MS"))],
  [HOLDING, "every {} s while a job waits and a machine is free", seconds(LATE.lookAgain)],
  [HOLDING, "or none is alive, else every {} s", 60 * Math.floor(minutes(constant(PACE, "RUNNING_MS")))],
  [HOLDING, "every {} s in the first {} s until one", seconds(LATE.wellOver), seconds(LATE.github)],
  [HOLDING, "which need {} left", constant(HURRY, "LEAST_LEFT")],
  [HOLDING, "With fewer than {} left, main looks a quarter as often", constant(PACE, "FEW_REQUESTS")],
  [HOLDING, "until the job is over, at most {} minutes", OTHERS],
  [HOLDING, "main waits at most {} minutes. Post", minutes(constant("src/runs/decide-end.ts", "OUTAGE_MAY_TAKE_MS"))],
  [TROUBLE, "*Fewer than {} requests of job-token", constant(PACE, "FEW_REQUESTS")],
  [TROUBLE, "The service answered 5xx for {} seconds", SERVICE],
  [TROUBLE, "For {} seconds no complete answer came", SERVICE],
  ["docs/client.md", "until `until` or for {} s", SERVICE],
  [TROUBLE, "Post says so, for {} minutes", minutes(DESTROY_WITHIN_MS.post)],
  [TROUBLE, "Post tried for {} minutes", minutes(DESTROY_WITHIN_MS.post)],
  [TROUBLE, "minutes, main for {} s", seconds(DESTROY_WITHIN_MS.main)],
  [TROUBLE, "still listed them after {} minutes", minutes(DESTROY_WITHIN_MS.sweep)],
  [TROUBLE, "beyond {} minutes also `ready-timeout`", minutes(READY.readyMs)],
  [TROUBLE, "travel with {} characters for each job", constant("src/machine/script/onstart-env.ts", "JIT_CHARACTERS")],
  [THREATS, "facts expire after {} days", KEPT_MS / 24 / HOUR_MS],
  [THREATS, "more than {} deep", constant("src/shared/json.ts", "MOST_DEPTH")],
  [THREATS, "may have {} MB, GitHub's", constant("src/image/image-size.ts", "MOST_MANIFEST_BYTES") / 1e6],
  [THREATS, "MB, GitHub's {} MB", constant("src/github/github-client.ts", "MOST_GITHUB_BYTES") / 1e6],
  [THREATS, "MB, the service's {} MB", constant("src/marketplace/vast/connection.ts", "MOST_ANSWER_BYTES") / 1e6],
  [THREATS, "and {} KB at most", constant("src/marketplace/vast/service-client.ts", "MOST_LOG_BYTES") / 1024],
  [THREATS, "Post goes on for 3 min {} s", seconds(DESTROY_WITHIN_MS.post) - 180],
  [THREATS, "A token of fewer than {} characters", constant("src/action/platform.ts", "SHORTEST_MASKED")],
  [THREATS, "`max-traffic-price` is {} USD per GB", Number(fallback("max-traffic-price"))],
];

test.each(ROWS.map(([page, sentence, ...figures]) => ({ page, sentence, figures })))(
  "$page: $sentence",
  ({ page, sentence, figures }) => {
    const escaped = sentence.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replaceAll("{}", FIGURE);
    const found = [...lineOf(page).matchAll(new RegExp(escaped, "g"))];
    expect(found.length, "how often it stands there").toBe(1);
    expect(found[0]?.slice(1).map(numberOf)).toEqual(figures);
  },
);

describe("a default in brackets, right behind the name of its input", () => {
  const pages = ["README.md", ...filesIn("docs", ".md")].filter((page) => !page.includes("/adr/"));
  const written = pages.flatMap((page) =>
    [...lineOf(page).matchAll(/`([a-z0-9-]+)` \((\d[\d.]*)( minutes| s| hours)?\)/g)].flatMap((match) => {
      const [text, name = "", figure, unit = ""] = match;
      return Object.hasOwn(inputSchema.shape, name) ? [{ page, text, name, figure, unit }] : [];
    }),
  );
  const PER_UNIT: Record<string, number> = { " minutes": 60_000, " s": 1000, " hours": HOUR_MS, "": 1 };
  /** What `auto` stands for where nothing else says it. */
  const AUTO: Record<string, number> = { machines: MACHINES, "machines-per-repository": OF_REPOSITORY };

  test("stands on several pages", () => expect(written.length).toBeGreaterThan(4));

  test.each(written)("$page: $text", ({ name, figure, unit }) => {
    const value = fallback(name as keyof typeof inputSchema.shape);
    expect(Number(figure) * (PER_UNIT[unit] ?? 1)).toBe(AUTO[name] ?? Number(value));
  });
});
