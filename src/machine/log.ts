import { NotFoundError } from "../marketplace/errors.ts";
import type { Marketplace } from "../marketplace/marketplace.ts";
import { oneLine, withoutKeys, withoutSecrets } from "../shared/foreign-text.ts";
import type { Log } from "../shared/log.ts";
import { UserError } from "../shared/user-error.ts";

/** Matches the names of our own variables whose values are no secrets: all but runner configurations. */
const OWN_PUBLIC = /^GHR_(?!JIT(?:_\d)?$)/;
const SOUNDS_SECRET = /key|token|secret|pass|pwd|auth|login|credential/i;
/** Shorter values are numbers, flags or words, and would be hidden in other places. */
const SHORTEST_HIDDEN = 8;
const SHORTEST_SECRET = 4;

/**
 * Makes a function that takes secrets out of a machine's output: values of its environment, and what looks like a key.
 */
export function secretHider(env: Readonly<Record<string, string>>): (text: string) => string {
  const pieces = Object.entries(env)
    .filter(([name]) => !OWN_PUBLIC.test(name))
    // A log may begin with any line of a value.
    .flatMap(([name, value]) => value.split(/\r?\n/).map((line) => ({ name, piece: line.trim() })))
    .filter(({ name, piece }) => piece.length >= (SOUNDS_SECRET.test(name) ? SHORTEST_SECRET : SHORTEST_HIDDEN))
    // The longest first: a value may be a part of another one.
    .sort((left, right) => right.piece.length - left.piece.length);
  return (text) => {
    const known = pieces.reduce((hidden, { name, piece }) => hidden.replaceAll(piece, `[${name}]`), text);
    return withoutKeys(withoutSecrets(known));
  };
}

interface ReadingLog {
  service: Pick<Marketplace, "logs">;
  signal: AbortSignal;
}

interface Logging {
  instanceId: number;
  hideSecrets: (text: string) => string;
}

/** How many lines to ask for: more than the script says between its reason and its end. */
const LAST_LINES = 20;
const LOGS = ["container", "daemon"] as const;
/** Escape sequences of terminals: colours, and the moves of progress bars. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are taken out.
const TERMINAL = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|[@-Z\\-_])/g;

/** Logs a failed machine's last lines and its host's about it, within 5 s, without secrets. Returns the container's. */
export async function showLastLines(
  { log, service, signal }: ReadingLog & { log: Log },
  { instanceId, hideSecrets }: Logging,
): Promise<string> {
  const faults: string[] = [];
  const fetched = LOGS.map((name) => service.logs({ id: instanceId, lines: LAST_LINES, log: name }, signal));
  // All are waited for, so that none is left under way.
  const texts = (await Promise.allSettled(fetched)).map((outcome) => {
    if (outcome.status === "fulfilled") return hideSecrets(outcome.value);
    // A cancel, or a bug of ours.
    if (!(outcome.reason instanceof UserError)) throw outcome.reason;
    const isGone = outcome.reason instanceof NotFoundError;
    faults.push(isGone ? "it is gone, or the service keeps none." : outcome.reason.message);
    return "";
  });
  const lines = texts.flatMap((text, index) => shown(LOGS[index] ?? "", text));
  if (lines.length > 0) {
    await log.stage(`Last lines of instance ${instanceId}`, async () => {
      for (const line of lines) log.info(line);
    });
  }
  // One reason mostly keeps both logs away.
  if (faults[0] !== undefined) log.info(`Not all logs of instance ${instanceId} can be shown: ${faults[0]}`);
  return texts[0] ?? "";
}

function shown(name: string, text: string): string[] {
  const lines = text
    .replace(TERMINAL, "")
    // A progress bar overwrites its line: each state of it is a line here.
    .split(/\r\n|\r|\n/)
    .map((line) => oneLine(line))
    .filter((line) => line !== "");
  return lines.slice(-LAST_LINES).map((line) => `  ${name.padEnd(9)} | ${line}`);
}

/** Why a machine gives itself back without a job, as its log says. The host can write anything there. */
export interface ExitMessage {
  /** Who wrote the message: GitHub's runner program, as its last line, or our script, which started no runner. */
  by: "runner" | "script";
  text: string;
}

/** Matches a line that our script wrote: onstart/README.md, "What the action reads". */
const OWN_LINE = /^\S+Z ghr: (.*)$/s;
const STAYS = "Staying for 60 s.";
const OF_RUNNER = "No job came to it. Its last words:";

/** Finds what a machine's script said right before it began to wait for its log to be read. */
export function exitMessage(log: string): ExitMessage | undefined {
  const own = log.split(/\r?\n/).flatMap((line) => OWN_LINE.exec(line)?.[1]?.trim() ?? []);
  const said = own[own.lastIndexOf(STAYS) - 1];
  if (said === undefined) return undefined;
  const by = said.startsWith(OF_RUNNER) ? "runner" : "script";
  const text = oneLine(by === "runner" ? said.slice(OF_RUNNER.length) : said);
  return text === "" ? undefined : { by, text };
}

/** Matches what GitHub's runner program says of its connection. The program goes on after either line. */
const CONNECTION = /Runner (?:connect error: .*|reconnected\.)/;
const LONGEST_CONNECT_ERROR = 200;

/** Finds the last error of the runner's connection to GitHub; undefined if the runner connected after it. */
export function connectError(log: string): string | undefined {
  const said = log.split(/\r?\n/).flatMap((line) => CONNECTION.exec(line)?.[0] ?? []);
  const last = said.at(-1);
  return last?.startsWith("Runner connect") ? oneLine(last, LONGEST_CONNECT_ERROR) : undefined;
}

/** Asks for a machine's log, and finds its exit message. `isFault`: the log can't be had. */
export async function readExitMessage(
  { service, signal }: ReadingLog,
  { instanceId, hideSecrets }: Logging,
): Promise<{ words?: ExitMessage; isFault?: true }> {
  try {
    const text = await service.logs({ id: instanceId, lines: LAST_LINES, log: "container" }, signal);
    const words = exitMessage(hideSecrets(text));
    return words === undefined ? {} : { words };
  } catch (error) {
    // The caller asks again while that may help, and reports the fault when the machine is destroyed.
    if (!(error instanceof UserError)) throw error;
    return { isFault: true };
  }
}
