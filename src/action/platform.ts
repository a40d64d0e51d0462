import { tmpdir } from "node:os";
import * as core from "@actions/core";
import { StateNotSavedError } from "../machine/errors.ts";
import type { LedgerOrigin, SavedState } from "../release/ledger.ts";
import { describeFailure } from "../report/annotations.ts";
import type { StepPage } from "../report/step-page.ts";
import { knowSecret, withoutCommands, withoutMarkdown } from "../shared/foreign-text.ts";
import type { Log } from "../shared/log.ts";
import { CancelledError } from "../shared/user-error.ts";

/** Runs the story of an entry. A signal aborts it, and an error makes the step red. */
export async function runEntry(story: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const cancel = new AbortController();
  const onSignal = (name: string) => cancel.abort(new CancelledError(name));
  process.once("SIGINT", onSignal).once("SIGTERM", onSignal);
  try {
    await story(cancel.signal);
  } catch (error) {
    failStep(error);
  } finally {
    process.removeListener("SIGINT", onSignal).removeListener("SIGTERM", onSignal);
  }
}

/** The log of the job. No foreign text in it can become a workflow command. */
export const actionsLog: Log = {
  info: (line) => core.info(withoutCommands(line)),
  warning: (line) => core.warning(withoutCommands(line)),
  async stage(title, work) {
    core.startGroup(withoutCommands(title));
    try {
      return await work();
    } finally {
      core.endGroup();
    }
  },
};

/** The page of this step: annotations, outputs and summary. */
export const stepPage: StepPage = {
  annotate(level, title, message) {
    const annotate = level === "error" ? core.error : core.warning;
    annotate(withoutCommands(message), { title });
  },
  setOutput(name, value) {
    try {
      core.setOutput(name, value);
    } catch (error) {
      // A machine works without it.
      actionsLog.warning(`The output ${name} could not be written: ${error instanceof Error ? error.message : error}`);
    }
  },
  folder: () => process.env.RUNNER_TEMP || tmpdir(),
  async summarize(markdown) {
    // Other platforms may have no summary.
    if (!process.env.GITHUB_STEP_SUMMARY) return;
    try {
      await core.summary.addRaw(markdown).write();
    } catch (error) {
      actionsLog.warning(`The job summary could not be written: ${error instanceof Error ? error.message : error}`);
    }
  },
};

/**
 * Fails the step, and shows in one annotation what was thrown. Nothing else fails the step.
 * `billing` says what may still bill, and is added if the error does not say it. A cancel says so in the log alone.
 */
export function failStep(error: unknown, billing = ""): void {
  process.exitCode = 1;
  if (error instanceof CancelledError) {
    core.info(`${error.message} ${billing}`.trim());
    return;
  }
  const { heading, hint, mark, message, title } = describeFailure(error, billing);
  const toDo = hint === undefined ? [] : [`What to do: ${hint}`];
  // On a run's page people see only the annotation, so it also says what to do, and in which job.
  const end = mark === undefined ? [] : [mark];
  stepPage.annotate("error", title, [message, ...toDo, ...jobLine(), ...moreLine(heading), ...end].join("\n"));
  for (const line of toDo) actionsLog.info(line);
}

/** Names this job and its page, or the page of its run, as far as the platform gives them. */
function jobLine(): string[] {
  const { GITHUB_JOB: job, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: run, GITHUB_SERVER_URL: server } = process.env;
  if (!job) return [];
  const id = core.getInput("job-check-run-id");
  const page = id === "" ? "" : `/job/${id}`;
  return [`Job: '${job}'${repository && run && server ? `, ${server}/${repository}/actions/runs/${run}${page}` : ""}`];
}

/** Links to a heading of the guide, of the version that runs. An action in the workflow's own repository has none. */
function moreLine(heading: string | undefined): string[] {
  const { GITHUB_ACTION_REF: ref, GITHUB_ACTION_REPOSITORY: repository, GITHUB_SERVER_URL: server } = process.env;
  if (heading === undefined || !ref || !repository || !server) return [];
  return [`More: ${server}/${repository}/blob/${ref}/docs/troubleshooting.md#${heading.toLowerCase()}`];
}

/** Saves a text for post under a name, of which the platform keeps the last. Throws StateNotSavedError. */
export function saveState(name: string, text: string): void {
  try {
    core.saveState(name, text);
  } catch (error) {
    throw new StateNotSavedError(error);
  }
}

/** Returns what main's notes are bound to: the platform lets no step change its own variables. */
export function ledgerOrigin({ apiKey }: { apiKey: string }): LedgerOrigin {
  const { GITHUB_RUN_ATTEMPT: attempt = "", GITHUB_RUN_ID: runId = "" } = process.env;
  return { apiKey, runId, attempt };
}

/** Returns the texts that main saved, by their names. */
export function savedState(): SavedState {
  const entries = Object.entries(process.env).filter(([name]) => name.startsWith("STATE_"));
  return Object.fromEntries(entries.map(([name, text]) => [name.slice("STATE_".length), text]));
}

/** Shorter texts are never masked: the platform drops every output with a masked part in it. */
const SHORTEST_MASKED = 8;

const masked = new Set<string>();

/** Hides a secret in foreign texts and, by the platform, in logs and summaries, where it may be without Markdown. */
export function maskSecret(secret: string | undefined): void {
  if (secret === undefined || secret.length < SHORTEST_MASKED || masked.has(secret)) return;
  masked.add(secret);
  knowSecret(secret);
  core.setSecret(secret);
  const escaped = withoutMarkdown(secret, secret.length);
  if (escaped !== secret) core.setSecret(escaped);
}
