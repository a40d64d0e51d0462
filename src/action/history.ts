import { adviceFacts, pastRunOf } from "../fleet/lessons.ts";
import type { Fleet } from "../fleet/state.ts";
import { findOwnJob, RunJobs } from "../github/jobs.ts";
import { adviceOf } from "../history/advice.ts";
import { type EarlierJobs, type EarlierRuns, NOTHING_KNOWN, readEarlierRuns } from "../history/earlier-runs.ts";
import { imageMark, markOf } from "../history/hosts.ts";
import { spentOf } from "../history/kept-facts.ts";
import { describeEarlier, KeptHistory } from "../history/kept-history.ts";
import { LOG_END_BYTES, recordKey, recordLines, recordOfCost, type Scope } from "../history/records.ts";
import type { Cost } from "../money/cost.ts";
import { MonthlyCostError, NOTHING_RENTED } from "../money/errors.ts";
import { type Month, monthWarning } from "../money/month.ts";
import type { LedgerWriter } from "../release/ledger.ts";
import { matcherOf, type Session } from "../release/session.ts";
import type { ImageFacts } from "../timing/boot.ts";

interface OpeningHistory {
  session: Session;
  ledger: Pick<LedgerWriter, "known" | "lessons">;
  signal: AbortSignal;
  /** `history` and `api-key`. */
  inputs: { history: boolean; apiKey: string };
}

/** The history of this workflow: read beside main's other checks, and handed to post when main ends. */
export class RunHistory implements AsyncDisposable {
  readonly known = new KeptHistory();
  readonly #main: OpeningHistory;
  /** Undefined: there is no history. */
  readonly #key: Buffer | undefined;
  readonly #reading: Promise<EarlierRuns>;

  /** Begins to read. */
  constructor(main: OpeningHistory) {
    this.#main = main;
    const scope = scopeOf(main.session, main.inputs);
    this.#key = typeof scope === "string" ? undefined : recordKey(scope);
    this.#reading = typeof scope === "string" ? Promise.resolve({ ...NOTHING_KNOWN, why: scope }) : this.#read(scope);
    this.known.ready = this.#reading;
  }

  async #read(scope: Scope): Promise<EarlierRuns> {
    const { session, signal } = this.#main;
    const run = { ...session.run, key: recordKey(scope), now: session.clock.now() };
    const earlier = await readEarlierRuns(earlierJobs(session, scope.workflow), run, signal);
    this.known.arrived(earlier);
    return earlier;
  }

  /** Says what is known as soon as all is read, which takes five seconds at most. It never fails. */
  async describe(image: Pick<ImageFacts, "bytes" | "name">): Promise<string> {
    return describeEarlier(await this.#reading, imageMark(image), this.#main.session.clock.now());
  }

  /** Says what this workflow may spend in 30 days, and warns if it is little. Throws MonthlyCostError without any. */
  async month(most: number | undefined): Promise<Month | undefined> {
    if (most === undefined) return undefined;
    const { facts, head, why } = await this.#reading;
    const { log } = this.#main.session;
    if (head === undefined && why !== undefined)
      log.warning(`What this workflow spent in 30 days is not known, so max-cost-30d bounds only this run: ${why}`);
    const month = { spent: spentOf(facts), most };
    if (month.spent.usd >= most) throw new MonthlyCostError(month, NOTHING_RENTED);
    const warning = monthWarning(month);
    if (warning !== undefined) log.warning(warning);
    return month;
  }

  /** Logs what this run teaches, and writes it down for post. `prefix`: the beginning of the label of every instance. */
  learn(fleet: Fleet, prefix: string): void {
    const { ledger, session } = this.#main;
    const { clock, log, run } = session;
    const now = clock.now();
    const past = pastRunOf(fleet, { attempt: run.attempt, now, prefix, runId: run.runId });
    if (past === undefined) return;
    const runs = this.known.learn(past);
    const advice = adviceOf(adviceFacts(fleet, { now, runs }));
    for (const line of advice) log.info(line);
    const trend = runs
      .slice(-MOST_IN_TREND)
      .map(({ at, bootSeconds, run: of, usd, waitSeconds }) => ({ at, bootSeconds, run: of, usd, waitSeconds }));
    ledger.lessons({ advice, trend });
  }

  /** Hands all that is known to post. A run that failed hands on what came before it. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { isWhole } = await this.#reading;
    if (this.#key === undefined) return;
    const { ledger, session } = this.#main;
    const { attempt, runId: run } = session.run;
    const at = session.clock.now();
    const head = { run, attempt, at, isWhole };
    ledger.known(recordLines(this.known.toHandOn(at), head, this.#key));
  }
}

/** More runs than the summary's table shows are of no use to post. */
const MOST_IN_TREND = 10;

/** Says of which workflow the history is, or why there is none. */
function scopeOf({ run }: Pick<Session, "run">, inputs: OpeningHistory["inputs"]): Scope | string {
  const { repositoryId, workflow } = run;
  if (!inputs.history) return "history is false.";
  if (repositoryId === undefined || workflow === undefined)
    return "the platform names no workflow file of this repository.";
  return { apiKey: inputs.apiKey, repositoryId, workflow };
}

/** Sees earlier runs by the job's own token. */
function earlierJobs(session: Session, workflow: string): EarlierJobs {
  const { client, jobs, logs, run, runs } = session;
  return {
    ownName: async (signal) => findOwnJob(await jobs.list(signal), matcherOf(session).own)?.name ?? run.jobName,
    listRuns: (signal) => runs.listOfWorkflow(workflow.slice(workflow.lastIndexOf("/") + 1), signal),
    listJobs: ({ attempt, id }, signal) => new RunJobs(client, { runId: id, attempt }).list(signal),
    readLog: (id, signal) => logs.tail(id, signal, LOG_END_BYTES),
  };
}

/** Prints what the next run is to know as the log's last lines: what main handed on, and the whole cost. */
export async function tellNextRun(
  { log, run }: Pick<Session, "log" | "run">,
  inputs: OpeningHistory["inputs"],
  { cost, known, now, prefix }: { cost: Cost; known: readonly string[]; now: number; prefix: string },
): Promise<void> {
  const scope = scopeOf({ run }, inputs);
  if (typeof scope === "string") return;
  const { bytes: bytesUsd, total: usd } = cost;
  const own = { run: run.runId, attempt: run.attempt, at: now, usd, bytesUsd, use: markOf(prefix), kinds: [] };
  const lines = [...known, ...(usd > 0 ? recordOfCost(own, recordKey(scope)) : [])];
  if (lines.length === 0) return;
  await log.stage("What the next run knows", async () => {
    for (const line of lines) log.info(line);
  });
}
