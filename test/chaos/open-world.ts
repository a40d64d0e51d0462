import type { RunSpec } from "../../simulator/github/runs/run-spec.ts";
import type { InstanceRecord } from "../../simulator/service/rentals/instance-record.ts";
import type { Simulator } from "../../simulator/start-simulator.ts";
import { ACTION, BUILD_JOB, gpuJob, RENT_JOB, startUse, type UseOfAction } from "../support/use-of-action.ts";
import { WatchedStep } from "../support/watched-step.ts";
import type { PlannedRun } from "./planned-run.ts";

/** One use of the action among other people's machines, and the sweep that comes after it. */
export interface ChaosWorld {
  use: UseOfAction;
  bystanders: InstanceRecord[];
  /** The step of another run, which sweeps. */
  sweep: WatchedStep;
  /** What happened, with the simulated seconds since the start. */
  tell(line: string): void;
  /** Plants one more machine of somebody else. */
  addBystander(label: string): void;
}

const BUILD_SECONDS = 15;
const YEAR_2100 = 4_102_444_800;
const REPOSITORY = "octo/gpu-lib";
const SWEEP_RUN = 9000;
const OPEN_RUN = 4712;

/** Starts the world; the caller ends `use` and `sweep`. */
export async function openWorld(plan: PlannedRun, factor: number, transcript: string[]): Promise<ChaosWorld> {
  let begun: number | undefined;
  let sim: Simulator | undefined;
  const tell = (line: string) => {
    const seconds = sim && begun ? (sim.clock.now() - begun) / 1000 : 0;
    transcript.push(`${seconds.toFixed(1).padStart(7)} ${line}`);
  };
  const use = await startUse({
    factor,
    log: tell,
    dialect: plan.dialect,
    scenario: { offers: plan.offers },
    jobs: jobsOf(plan),
    with: plan.inputs,
  });
  sim = use.sim;
  begun = sim.clock.now();
  const bystanders: InstanceRecord[] = [];
  const addBystander = (label: string) => bystanders.push(use.sim.service.leaveBehind(label));
  for (const label of lookAlikes(use)) addBystander(label);
  use.sim.github.addRun({ repository: REPOSITORY, runId: OPEN_RUN, jobs: [RENT_JOB] });
  use.sim.github.addRun({ repository: REPOSITORY, runId: SWEEP_RUN, jobs: [{ ...RENT_JOB, name: "sweep" }] });
  if (plan.job === "build-first") finishBuild(use);
  return { use, bystanders, sweep: sweepStep(use), tell, addBystander };
}

function jobsOf({ job, offers: _ }: PlannedRun): RunSpec["jobs"] {
  switch (job) {
    case "short":
      return [RENT_JOB, gpuJob()];
    case "long":
      return [RENT_JOB, gpuJob(["sleep 25", "echo 12 passed"])];
    case "endless":
      return [RENT_JOB, gpuJob(["while true; do sleep 5; done"])];
    case "failing":
      return [RENT_JOB, gpuJob(["echo no", "exit 3"])];
    case "build-first":
      return [RENT_JOB, BUILD_JOB, { ...gpuJob(), needs: ["build"] }];
    case "none":
      return [RENT_JOB];
  }
}

/** Another repository's, another run's that goes on, and one that only begins like ours. */
function lookAlikes({ run }: UseOfAction): string[] {
  return [
    `ghr1.${run.repositoryId + 1}.${run.id}-1.abcdef.1.${YEAR_2100}`,
    `ghr1.${run.repositoryId}.${OPEN_RUN}-1.abcdef.1.${YEAR_2100}`,
    `ghr1.${run.repositoryId}.${run.id}-1.abcdef`,
  ];
}

/** A label that begins like those of this use, and is none of them. */
export function lookAlikeOf(prefix: string): string {
  return `${prefix}x.1.${YEAR_2100}`;
}

function finishBuild({ sim, run }: UseOfAction): void {
  sim.clock.after(BUILD_SECONDS * 1000, () => {
    const build = run.job("build");
    if (build.status !== "completed") build.complete("success");
  });
}

function sweepStep({ sim, run }: UseOfAction): WatchedStep {
  return new WatchedStep({
    action: `${ACTION}sweep/`,
    with: { "api-key": sim.service.apiKey, "api-url": sim.service.url },
    env: {
      ...sim.childEnv(),
      GITHUB_API_URL: sim.github.url,
      GITHUB_SERVER_URL: "https://github.com",
      GITHUB_REPOSITORY: REPOSITORY,
      GITHUB_REPOSITORY_ID: String(run.repositoryId),
      GITHUB_RUN_ID: String(SWEEP_RUN),
      GITHUB_RUN_ATTEMPT: "1",
      GITHUB_JOB: "sweep",
      RUNNER_NAME: "hosted-9",
    },
    githubToken: sim.github.jobToken,
  });
}
