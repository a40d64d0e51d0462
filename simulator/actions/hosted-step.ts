import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ActionDefinition, inputVariables, readAction } from "./action-definition.ts";
import { type RunningStage, type StageResult, startStage } from "./stage.ts";

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

/** One step of an action, from its main to its post, as the platform runs it. */
export class HostedStep implements Disposable {
  readonly #options: HostedStepOptions;
  readonly #action: ActionDefinition;
  readonly #folder = mkdtempSync(join(tmpdir(), "hosted-step-"));
  #state: Record<string, string> = {};
  #jobStatus: "success" | "failure" | "cancelled" = "success";
  readonly #stages: RunningStage[] = [];

  constructor(options: HostedStepOptions) {
    this.#options = options;
    this.#action = readAction(options.action);
  }

  /** Starts main. Post gets its state and result as soon as it has ended, however it ended. */
  startMain(): RunningStage {
    const stage = this.#start("main", this.#action.runs.main);
    return { ...stage, done: stage.done.then((result) => this.#keep(result)) };
  }

  /** Runs post, which the platform does whatever became of main. */
  startPost(): RunningStage {
    if (this.#action.runs.post === undefined) throw new Error("The action has no post.");
    return this.#start("post", this.#action.runs.post);
  }

  /** The state that the platform would hand to post now. */
  get state(): Readonly<Record<string, string>> {
    return this.#state;
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
      "job.status": this.#jobStatus,
      "job.check_run_id": checkRunId,
      // A job without a matrix is a matrix of one.
      "strategy.fail-fast": "true",
      "strategy.job-total": "1",
    };
    const state = Object.fromEntries(Object.entries(this.#state).map(([key, value]) => [`STATE_${key}`, value]));
    const stage = startStage({
      script: join(action, script),
      folder: join(this.#folder, name),
      temp: join(this.#folder, "temp"),
      env: { ...env, ...inputVariables(this.#action, this.#options.with, contexts), ...(name === "post" ? state : {}) },
      ...(onOutput ? { onOutput } : {}),
    });
    this.#stages.push(stage);
    return stage;
  }

  #keep(result: StageResult): StageResult {
    this.#state = { ...result.state };
    if (result.wasCancelled) this.#jobStatus = "cancelled";
    else if (result.exitCode !== 0) this.#jobStatus = "failure";
    return result;
  }
}
