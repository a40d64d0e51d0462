import { HostedStep } from "../../simulator/actions/hosted-step.ts";
import type { RunningStage, StageResult } from "../../simulator/actions/stage.ts";

/** A step that keeps what its stages left, so that a test can look through all of it at the end. */
export class WatchedStep extends HostedStep {
  /** Of every stage that has ended, in order. */
  readonly results: StageResult[] = [];

  override startMain(): RunningStage {
    return this.#watch(super.startMain());
  }

  override startPost(): RunningStage {
    return this.#watch(super.startPost());
  }

  #watch(stage: RunningStage): RunningStage {
    const done = stage.done.then((result) => {
      this.results.push(result);
      return result;
    });
    return { ...stage, done };
  }
}
