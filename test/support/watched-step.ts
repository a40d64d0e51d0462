import { HostedStep } from "../../simulator/actions/hosted-step.ts";
import type { RunningStage, StageResult } from "../../simulator/actions/stage.ts";

/** A step that keeps what its stages left, so that a test can look through all of it at the end. */
export class WatchedStep extends HostedStep {
  /** Of every stage that has ended, in order. */
  readonly results: StageResult[] = [];
  #hasRunPost = false;

  /** Whether post was started at least once. */
  get hasRunPost(): boolean {
    return this.#hasRunPost;
  }

  override startMain(): RunningStage {
    return this.#watch(super.startMain());
  }

  override startPost(): RunningStage {
    this.#hasRunPost = true;
    return this.#watch(super.startPost());
  }

  /** Runs main to its end. Throws with its log unless it ends with code 0. */
  mainSucceeds(): Promise<StageResult> {
    return endingWith(0, this.startMain());
  }

  /** Runs main to its end. Throws with its log unless it ends with code 1. */
  mainFails(): Promise<StageResult> {
    return endingWith(1, this.startMain());
  }

  /** Runs post to its end. Throws with its log unless it ends with code 0. */
  postSucceeds(): Promise<StageResult> {
    return endingWith(0, this.startPost());
  }

  #watch(stage: RunningStage): RunningStage {
    const done = stage.done.then((result) => {
      this.results.push(result);
      return result;
    });
    return { ...stage, done };
  }
}

async function endingWith(code: number, { done }: RunningStage): Promise<StageResult> {
  const result = await done;
  if (result.exitCode !== code) throw new Error(`It ended with code ${result.exitCode}, not ${code}:\n${result.log}`);
  return result;
}
