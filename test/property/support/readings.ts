import { expect } from "vitest";
import { UserError } from "../../../src/shared/user-error.ts";

/** As the runner trims a line: .NET's white space, which is JavaScript's and NEL. */
const COMMAND = /^[\s\u0085]*::/;

/**
 * The lines that a runner obeys: it cuts output at CR and LF, takes `::` at the start of a trimmed
 * line for a command, and the old `##[` anywhere in it.
 */
export function commandsIn(output: string): string[] {
  return output.split(/\r\n|\r|\n/).filter((line) => COMMAND.test(line) || line.includes("##["));
}

/** Markdown's characters in text that is to be none. */
export function markdownIn(text: string): string[] {
  return text.replace(/&#\d+;/g, "").match(/[\\`*_{}[\]()#+!|<>~&@:/$\n\r]|www\./gi) ?? [];
}

/** Whether the text is one line that can be read from left to right. */
export function isPlainLine(text: string): boolean {
  return !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text);
}

/** Runs what may refuse in our own words; throws on any other error. Undefined: it refused. */
export function orRefused<T>(work: () => T, check: (error: UserError) => void = () => {}): T | undefined {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    check(error);
    return undefined;
  }
}

/** The same for what takes time. */
export async function orRefusedLater<T>(work: () => Promise<T>): Promise<T | UserError> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return error;
  }
}

/** An error as it is shown has no line but those of its own, and no secret. */
export function expectFreeOf(secrets: readonly string[], error: UserError): void {
  const shown = `${error.message}\n${error.hint ?? ""}`;
  expect(secrets.filter((secret) => shown.includes(secret))).toEqual([]);
}
