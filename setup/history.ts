import type { Finding } from "./check.ts";
import { type Gh, GithubError, repositoryPath } from "./gh.ts";
import { GPU_WORKFLOW } from "./workflows.ts";

interface Listed {
  workflow_runs?: { id: number }[];
  jobs?: { id: number; name: string; conclusion: string | null }[];
}

/** What a run itself says of its history; nothing else of its log is shown. */
const SAID =
  /^(?:\S+Z )?(Known: \d+ hosts?, \d+ that have this image, from run \d+ \([\dhms ]+ ago\)|Nothing is known of earlier runs)/m;

/** Repeats what the last run said of its history. Only the run has the key that proves it. */
export async function examineHistory(gh: Gh, repository: string): Promise<Finding> {
  const about = "The history";
  try {
    const said = await lastWords(gh, `${repositoryPath(repository)}/actions`);
    if (said === undefined) return { about, is: "unknown", says: "no run has told of one yet." };
    return { about, is: "good", says: `run ${said.run} said: "${said.words}".` };
  } catch (fault) {
    if (!(fault instanceof GithubError)) throw fault;
    return { about, is: "unknown", says: `not asked: ${fault.message}` };
  }
}

async function lastWords(gh: Gh, actions: string): Promise<{ run: number; words: string } | undefined> {
  const file = GPU_WORKFLOW.slice(GPU_WORKFLOW.lastIndexOf("/") + 1);
  const runs = `${actions}/workflows/${file}/runs?status=completed&per_page=1`;
  const listed = await gh.find<Listed>({ path: runs, to: "list the runs" });
  const run = listed?.workflow_runs?.[0]?.id;
  if (run === undefined) return undefined;
  const { jobs = [] } = await gh.ask<Listed>({ path: `${actions}/runs/${run}/jobs?per_page=100`, to: "list the jobs" });
  const rents = jobs.find(({ conclusion, name }) => /^rent\b/.test(name) && conclusion !== "skipped");
  if (rents === undefined) return undefined;
  const log = await gh.askText({ path: `${actions}/jobs/${rents.id}/logs`, to: "show the log of the last run" });
  const words = SAID.exec(log)?.[1];
  return words === undefined ? undefined : { run, words };
}
