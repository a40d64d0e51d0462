import { GithubDoubtError, GithubTokenError } from "../../github/github-errors.ts";
import type { Job } from "../../github/job.ts";
import type { RunJobs } from "../../github/run-jobs.ts";
import type { RunnerDesk } from "../../github/runner-desk.ts";
import type { RunnerPort } from "../../machine/ports.ts";
import { checkLabel } from "./label-in-use.ts";
import { maskSecret } from "./secrets.ts";

/** Turns "GitHub could not be asked" into `unknown`; every other fault goes on. */
async function orUnknown<T>(ask: Promise<T>): Promise<T | "unknown"> {
  try {
    return await ask;
  } catch (error) {
    if (error instanceof GithubDoubtError) return "unknown";
    throw error;
  }
}

/** The jobs of this attempt; undefined when GitHub could not be asked. */
export async function jobsOrUndefined(jobs: RunJobs, signal: AbortSignal | undefined): Promise<Job[] | undefined> {
  const listed = await orUnknown(jobs.list(signal));
  return listed === "unknown" ? undefined : listed;
}

/** What the renting room needs of GitHub, made of the runner desk and the job list. */
export function runnerPort(
  desk: RunnerDesk,
  jobs: RunJobs,
  runnerLabel: string,
  ownIds: ReadonlySet<number>,
): RunnerPort {
  // A token that has registered a runner and is refused later has expired (an App's lives an hour): that says nothing of runners or jobs.
  let isProven = false;
  const ask = async <T>(answer: Promise<T>) => {
    try {
      return await orUnknown(answer);
    } catch (error) {
      if (isProven && error instanceof GithubTokenError) return "unknown";
      throw error;
    }
  };
  return {
    async mint(name, signal) {
      const minted = await desk.mint(name, runnerLabel, signal);
      isProven = true;
      maskSecret(minted.jitConfig);
      // Two uses that began at the same time saw each other nowhere before; now one of them does.
      await checkLabel(desk, runnerLabel, new Set([...ownIds, minted.id]), signal);
      return minted;
    },
    status: (id, signal) => ask(desk.status(id, signal)),
    remove: (id, signal) => ask(desk.remove(id, signal)),
    async ranJob(runner, signal) {
      try {
        const listed = await jobs.list(signal);
        return listed.some((job) => job.runnerId === runner.id || job.runnerName === runner.name) ? "yes" : "no";
      } catch (error) {
        // With hold: false the job token need not be able to read jobs.
        if (error instanceof GithubDoubtError || error instanceof GithubTokenError) return "unknown";
        throw error;
      }
    },
  };
}
