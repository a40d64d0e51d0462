import * as core from "@actions/core";
import { KnownError } from "../../known-error.ts";
import { withoutCommands } from "../../text/foreign-text.ts";
import { CancelledError } from "../platform/cancelled-error.ts";

/** The only place that turns an error into a red step. Accepts whatever was thrown. */
export function reportFailure(error: unknown): void {
  process.exitCode = 1;
  if (error instanceof CancelledError) {
    core.info(error.message);
  } else if (error instanceof KnownError) {
    core.error(withoutCommands(error.message), { title: error.name });
    if (error.hint !== undefined) core.info(`What to do: ${withoutCommands(error.hint)}`);
  } else {
    reportBug(error);
  }
}

function reportBug(error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  core.error(withoutCommands(`This is a bug of ephemeral-gpu-runner: ${text}`), { title: "Bug" });
  core.info("What to do: report it with this log, and see in the service's console that nothing is rented.");
}
