import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ActionDefinition, inputVariables, inputWarning, readAction } from "./action-definition.ts";
import { type RunningStage, type StageResult, startStage } from "./stage.ts";
import { maskedTexts } from "./stored-log.ts";

/** Runs one action as a step of a job on a hosted runner. */
export interface HostedStepOptions {
  /** The folder with action.yml. */
  action: string;
  /** The step's `with:`. */
  with: Readonly<Record<string, string>>;
  /** Set by the platform for every step: GITHUB_API_URL, GITHUB_RUN_ID, … */
  env: Readonly<Record<string, string>>;
  /** `${{ github.token }}`. */
  githubToken: string;
  /** `${{ job.check_run_id }}`; empty on platforms that don't know it. */
  checkRunId?: string;
  /** Gets the output as it comes. */
  onOutput?: (text: string) => void;
}

/** Names that no later step can set for another one by GITHUB_ENV. */
const OF_THE_PLATFORM = /^(?:GITHUB|RUNNER)_/i;

/** One step of an action, from its main to its post, as the platform runs it. */
export class HostedStep implements Disposable {
  readonly #options: HostedStepOptions;
  readonly #action: ActionDefinition;
  readonly #folder = mkdtempSync(join(tmpdir(), "hosted-step-"));
  /** The state that the platform would hand to post now. */
  state: Readonly<Record<string, string>> = {};
  /** What the job's result would be now. */
  jobStatus: "success" | "failure" | "cancelled" = "success";
  readonly #stages: RunningStage[] = [];
  #envOfLaterSteps: Readonly<Record<string, string>> = {};
  #outputs: Readonly<Record<string, string>> = {};
  #masked: readonly string[] = [];
  #isShutDown = false;

  constructor(options: HostedStepOptions) {
    this.#options = options;
    this.#action = readAction(options.action);
  }

  /** Starts main. Post gets its state and result as soon as it has ended, however it ended. */
  startMain(): RunningStage {
    const stage = this.#start("main", this.#action.runs.main);
    return { ...stage, done: stage.done.then((result) => this.#keep(result)) };
  }

  /**
   * Runs post, which the platform does whatever became of main. A cancel does not signal it: the
   * job's result alone becomes another one, at once.
   */
  startPost(): RunningStage {
    if (this.#isShutDown) throw new Error("The runner is gone: there is no post.");
    if (this.#action.runs.post === undefined) throw new Error("The action has no post.");
    const stage = this.#start("post", this.#action.runs.post);
    const cancel = () => {
      this.jobStatus = "cancelled";
    };
    return { ...stage, cancel, done: stage.done.then((result) => this.#judge(result)) };
  }

  /** As if a later step of the job wrote this into its GITHUB_ENV; post sees what the platform lets through. */
  laterStepSets(env: Readonly<Record<string, string>>): void {
    this.#envOfLaterSteps = { ...this.#envOfLaterSteps, ...env };
  }

  /** As when the hosted runner is shut down: main gets SIGINT, and nothing runs after it. */
  shutDown(): void {
    this.#isShutDown = true;
    this.#stages.at(-1)?.kill("SIGINT");
  }

  /** The outputs as the job hands them on: the platform drops those that hold a masked text. */
  get jobOutputs(): Readonly<Record<string, string>> {
    const isSafe = ([, value]: [string, string]) => !this.#masked.some((text) => value.includes(text));
    return Object.fromEntries(Object.entries(this.#outputs).filter(isSafe));
  }

  /** Ends what still runs, such as the main of a test that failed; its files go when it is gone. */
  [Symbol.dispose](): void {
    for (const stage of this.#stages) stage.kill("SIGKILL");
    const ends = Promise.allSettled(this.#stages.map((stage) => stage.done));
    void ends.then(() => rmSync(this.#folder, { recursive: true, force: true }));
  }

  #start(name: "main" | "post", script: string): RunningStage {
    const { action, env, githubToken, checkRunId = "", onOutput } = this.#options;
    // Evaluated for each stage anew: that is how post learns what became of the job.
    const contexts = {
      "github.token": githubToken,
      "job.status": this.jobStatus,
      "job.check_run_id": checkRunId,
      // A job without a matrix is a matrix of one.
      "strategy.fail-fast": "true",
      "strategy.job-total": "1",
    };
    const state = Object.fromEntries(Object.entries(this.state).map(([key, value]) => [`STATE_${key}`, value]));
    const inputs = inputVariables(this.#action, this.#options.with, contexts);
    const own = { ...env, ...inputs, ...(name === "post" ? state : {}) };
    const stage = startStage({
      script: join(action, script),
      folder: join(this.#folder, name),
      temp: join(this.#folder, "temp"),
      env: { ...letThrough(this.#envOfLaterSteps, Object.keys(own)), ...own },
      preface: inputWarning(this.#action, this.#options.with),
      ...(onOutput ? { onOutput } : {}),
    });
    this.#stages.push(stage);
    return stage;
  }

  #keep(result: StageResult): StageResult {
    this.state = { ...result.state };
    this.#outputs = { ...result.outputs };
    this.#masked = maskedTexts(result.log);
    this.laterStepSets(result.env);
    return this.#judge(result);
  }

  #judge(result: StageResult): StageResult {
    if (result.wasCancelled) this.jobStatus = "cancelled";
    // A cancelled job stays so, whatever fails after it.
    else if (this.jobStatus !== "cancelled" && (result.exitCode !== 0 || result.hasTimedOut))
      this.jobStatus = "failure";
    return result;
  }
}

/** What GITHUB_ENV can set beside a step's own variables, whose names count in any case of letters. */
function letThrough(env: Readonly<Record<string, string>>, own: readonly string[]): Record<string, string> {
  const taken = new Set(own.map((name) => name.toUpperCase()));
  const isFree = ([name]: [string, string]) => !OF_THE_PLATFORM.test(name) && !taken.has(name.toUpperCase());
  return Object.fromEntries(Object.entries(env).filter(isFree));
}
