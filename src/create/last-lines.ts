import { NotFoundError } from "../marketplace/errors.ts";
import type { Marketplace } from "../marketplace/marketplace.ts";
import { oneLine, withoutKeys } from "../shared/foreign-text.ts";
import type { Log } from "../shared/log.ts";
import { UserError } from "../shared/user-error.ts";

/** Of our own variables only runner configurations are secrets; the rest is addresses and names. */
const OWN_PUBLIC = /^GHR_(?!JIT(?:_\d)?$)/;
const SOUNDS_SECRET = /key|token|secret|pass|pwd|auth|login|credential/i;
/** A shorter value is a number, a flag or a word, and would be hidden in other places. */
const SHORTEST = 8;
const SHORTEST_SECRET = 4;

/**
 * Makes a function that takes out of a machine's output what must not be read in a job's log: the
 * values of its environment (each by the variable's name), and every long word that looks like
 * base64, which the instance's own key does.
 */
export function secretHider(env: Readonly<Record<string, string>>): (text: string) => string {
  const pieces = Object.entries(env)
    .filter(([name]) => !OWN_PUBLIC.test(name))
    .flatMap(([name, value]) => linesOf(name, value))
    // The longest first: a value may be a part of another one.
    .sort((left, right) => right.piece.length - left.piece.length);
  return (text) => {
    const known = pieces.reduce((hidden, { name, piece }) => hidden.replaceAll(piece, `[${name}]`), text);
    return withoutKeys(known);
  };
}

/** A value of several lines is printed in several lines, and a log may begin with any of them. */
function linesOf(name: string, value: string): { name: string; piece: string }[] {
  const shortest = SOUNDS_SECRET.test(name) ? SHORTEST_SECRET : SHORTEST;
  const lines = value.split(/\r?\n/).map((line) => line.trim());
  return lines.filter((piece) => piece.length >= shortest).map((piece) => ({ name, piece }));
}

const LINES = 20;
const LOGS = ["container", "daemon"] as const;
/** Escape sequences of terminals: colours, and the moves of progress bars. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is them that are taken out.
const TERMINAL = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|[@-Z\\-_])/g;

/**
 * Shows what a machine that is given up printed last, and what its host said of it: best effort,
 * for at most 5 s. Whatever its owner wrote there, it comes as single lines without secrets.
 * Returns what the container printed.
 */
export async function showLastLines(
  { log, service, signal }: { log: Log; service: Pick<Marketplace, "logs">; signal: AbortSignal },
  { instanceId, hideSecrets }: { instanceId: number; hideSecrets: (text: string) => string },
): Promise<string> {
  const lines: string[] = [];
  const faults: string[] = [];
  const fetched = LOGS.map((name) => service.logs({ id: instanceId, lines: LINES, log: name }, signal));
  // All are waited for, so that none is left under way.
  const texts = (await Promise.allSettled(fetched)).map((outcome) => {
    if (outcome.status === "fulfilled") return hideSecrets(outcome.value.text);
    faults.push(reasonOf(outcome.reason));
    return "";
  });
  for (const [index, text] of texts.entries()) lines.push(...shown(LOGS[index] ?? "", text));
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
  return lines.slice(-LINES).map((line) => `  ${name.padEnd(9)} | ${line}`);
}

/** The words of a known fault; a cancel, or a bug of ours, is thrown. */
function reasonOf(fault: unknown): string {
  if (!(fault instanceof UserError)) throw fault;
  if (fault instanceof NotFoundError) return "it is gone, or the service keeps none.";
  return fault.message;
}
