import { oneLine } from "../shared/foreign-text.ts";
import type { Log } from "../shared/log.ts";
import { UserError } from "../shared/user-error.ts";
import type { ServiceClient } from "../vast/service-client.ts";
import { NotFoundError } from "../vast/service-errors.ts";

const LINES = 20;
const LOGS = ["container", "daemon"] as const;
/** Escape sequences of terminals: colours, and the moves of progress bars. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is them that are taken out.
const TERMINAL = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|[@-Z\\-_])/g;

/**
 * Shows what a machine that is given up printed last, and what its host said of it: best effort,
 * for at most 5 s. Whatever its owner wrote there, it comes as single lines without secrets.
 */
export async function showLastLines(
  { log, service, signal }: { log: Log; service: Pick<ServiceClient, "requestLogs">; signal: AbortSignal },
  { instanceId, hideSecrets }: { instanceId: number; hideSecrets: (text: string) => string },
): Promise<void> {
  const lines: string[] = [];
  const faults: string[] = [];
  const fetched = LOGS.map((name) => service.requestLogs({ id: instanceId, tail: LINES, log: name }, signal));
  // All are waited for, so that none is left under way.
  for (const [index, outcome] of (await Promise.allSettled(fetched)).entries()) {
    if (outcome.status === "fulfilled") lines.push(...shown(LOGS[index] ?? "", hideSecrets(outcome.value)));
    else faults.push(reasonOf(outcome.reason));
  }
  if (lines.length > 0) {
    await log.stage(`Last lines of instance ${instanceId}`, async () => {
      for (const line of lines) log.info(line);
    });
  }
  // One reason mostly keeps both logs away.
  if (faults[0] !== undefined) log.info(`Not all logs of instance ${instanceId} can be shown: ${faults[0]}`);
}

function shown(name: string, text: string): string[] {
  const lines = text
    .replace(TERMINAL, "")
    // A progress bar overwrites its line: each state of it is a line here.
    .split(/\r\n|\r|\n/)
    .map((line) => oneLine(line))
    .filter((line) => line !== "");
  return lines.slice(-LINES).map((line) => `  ${name.padEnd(9)} | ${line}`);
}

/** The words of a known fault; a cancel, or a bug of ours, is thrown. */
function reasonOf(fault: unknown): string {
  if (!(fault instanceof UserError)) throw fault;
  if (fault instanceof NotFoundError) return "it is gone, or the service keeps none.";
  return fault.message;
}
