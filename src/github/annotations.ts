import { z } from "zod";
import { foreignText, type GithubClient, read } from "./github-client.ts";
import type { TokenNeed } from "./github-errors.ts";

/** How to grant what re-running lost jobs takes. */
export const TO_RERUN =
  "With rerun-lost: true, give the job that sweeps `permissions: { actions: write, checks: read, contents: read }`.";

const READ_ANNOTATIONS: TokenNeed = { input: "job-token", task: "read the annotations of a job", remedy: TO_RERUN };

const annotationsSchema = z.array(z.looseObject({ message: foreignText.nullish() }));

/** Lists the texts of a job's annotations, 50 at most. Throws GithubTokenError or GithubUnavailableError. */
export async function listAnnotations(client: GithubClient, jobId: number, signal?: AbortSignal): Promise<string[]> {
  const annotations = await read(client, annotationsSchema, {
    need: READ_ANNOTATIONS,
    // A job's id is that of its check run.
    route: "GET /repos/{owner}/{repo}/check-runs/{check_run_id}/annotations",
    parameters: { check_run_id: jobId, per_page: 100 },
    signal,
  });
  return annotations.map(({ message }) => message ?? "");
}

/** The title of the annotation about a job that lost its machine. */
export const LOST_MACHINE_TITLE = "GPU machine lost";

const MARK = /\[lost jobs?: (\d{1,16}(?:, \d{1,16}){0,99})\]\s*$/;

/**
 * Makes the mark at the end of an annotation that names the jobs which lost their machines. The sweep reads it on the
 * job that rented: annotations outlive the run, and need no artifact.
 */
export function lostJobsMark(jobIds: readonly number[]): string {
  return `[lost job${jobIds.length === 1 ? "" : "s"}: ${jobIds.join(", ")}]`;
}

/** Reads the ids of the jobs that an annotation names as lost; none if it is about something else. */
export function readLostJobs(text: string): number[] {
  return (MARK.exec(text)?.[1]?.split(", ") ?? []).map(Number);
}
