import * as core from "@actions/core";
import { CancelledError } from "../action/cancelled-error.ts";
import { withoutCommands } from "../shared/foreign-text.ts";
import { UserError } from "../shared/user-error.ts";

/**
 * The only place that turns an error into a red step. Accepts whatever was thrown. `billing`: a
 * sentence on what may still bill, added where the error lacks it.
 */
export function reportFailure(error: unknown, billing = ""): void {
  process.exitCode = 1;
  if (error instanceof CancelledError) {
    core.info(error.message);
  } else if (error instanceof UserError) {
    tell(error.name, error.and(billing).message, error.hint);
  } else {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const hint = "report it with this log, and see in the service's console that nothing is rented.";
    tell("Bug", `This is a bug of ephemeral-gpu-runner: ${text} ${billing}`.trim(), hint);
  }
}

/** People see only the annotation on a run's page: it says what to do, too, and whose it is. */
function tell(title: string, message: string, hint: string | undefined): void {
  const toDo = hint === undefined ? [] : [`What to do: ${hint}`];
  core.error(withoutCommands([message, ...toDo, ...jobLine()].join("\n")), { title });
  for (const line of toDo) core.info(withoutCommands(line));
}

/** The name and page of this job, as the platform tells them; else the run's page. */
function jobLine(): string[] {
  const { GITHUB_JOB: job, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: run, GITHUB_SERVER_URL: server } = process.env;
  if (!job) return [];
  const id = core.getInput("job-check-run-id");
  const page = id === "" ? "" : `/job/${id}`;
  return [`Job: '${job}'${repository && run && server ? `, ${server}/${repository}/actions/runs/${run}${page}` : ""}`];
}
