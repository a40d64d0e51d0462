import { GithubUnavailableError } from "../../../src/github/github-errors.ts";
import type { Job, RunJobs } from "../../../src/github/jobs.ts";
import type { ListedRunner, RunnerState, Runners } from "../../../src/github/runners.ts";
import type { Runs } from "../../../src/github/runs.ts";

/** GitHub as the action room's ports see it: what its test puts here, or a thrown error. */
export class FakeGithub {
  registered: ListedRunner[] | Error = [];
  jobs: Job[] | Error = [];
  newRunner: { id: number; jitConfig: string } | Error = { id: 21, jitConfig: "the-runner-configuration" };
  stateAnswer: RunnerState | Error = "online";
  removeAnswer: "removed" | "busy" | Error = "removed";
  readonly removed: number[] = [];
  cancelAnswer: "asked" | "over" | Error = "asked";
  /** Runs that were asked to end. */
  readonly cancelled: number[] = [];
  onCancel: () => void = () => {};

  /** The registrations that the code takes; a cast, as that class has private fields. */
  get runners(): Runners {
    const runners = {
      registerRunner: async () => orThrow(this.newRunner),
      look: async (ids: ReadonlySet<number>) => new Map([...ids].map((id) => [id, orThrow(this.stateAnswer)])),
      remove: async (id: number) => {
        this.removed.push(id);
        return orThrow(this.removeAnswer);
      },
      find: async (test: (runner: ListedRunner) => boolean) => orThrow(this.registered).filter(test),
      download: async () => ({ url: "https://github.example/runner.tar.gz", sha256: "ab".repeat(32) }),
    };
    return runners as unknown as Runners;
  }

  /** Cancels runs. */
  get runs(): Runs {
    const cancel = async (runId: number) => {
      this.cancelled.push(runId);
      this.onCancel();
      return orThrow(this.cancelAnswer);
    };
    return { cancel } as unknown as Runs;
  }

  /** The list of jobs that the code takes. */
  get runJobs(): RunJobs {
    const list = async () => orThrow(this.jobs);
    const listOrUndefined = async () => (this.jobs instanceof GithubUnavailableError ? undefined : orThrow(this.jobs));
    return { list, listOrUndefined } as unknown as RunJobs;
  }
}

function orThrow<T>(answer: T | Error): T {
  if (answer instanceof Error) throw answer;
  return answer;
}
