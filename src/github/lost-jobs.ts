/** The title of the annotation that tells of a machine that was lost under its job. */
export const LOST_MACHINE_TITLE = "GPU machine lost";

const MARK = /\[lost jobs?: (\d{1,16}(?:, \d{1,16}){0,99})\]\s*$/;

/**
 * Ends the text of an annotation with the ids of the jobs whose machines were lost under them. The
 * sweep reads them there, on the job that rented: annotations outlive the run, and need no
 * artifact.
 */
export function markLostJobs(text: string, jobIds: readonly number[]): string {
  return `${text} [lost job${jobIds.length === 1 ? "" : "s"}: ${jobIds.join(", ")}]`;
}

/** The ids of jobs that an annotation names as lost; none when it is about something else. */
export function readLostJobs(text: string): number[] {
  return (MARK.exec(text)?.[1]?.split(", ") ?? []).map(Number);
}
