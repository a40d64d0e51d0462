import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { actionsLog, failStep } from "../../src/action/platform.ts";
import { oneLine, withoutCommands, withoutMarkdown } from "../../src/shared/foreign-text.ts";
import { UserError } from "../../src/shared/user-error.ts";
import { stepOutput } from "../unit/support/step-output.ts";
import { always } from "./support/always.ts";
import { hostileText, MEGABYTES } from "./support/hostile.ts";
import { commandsIn, isPlainLine, markdownIn } from "./support/readings.ts";

test("oneLine makes one plain line of anything, no longer than it may be", () =>
  always(1000, [hostileText, fc.integer({ min: 1, max: 400 })], (text, longest) => {
    const line = oneLine(text, longest);
    expect(isPlainLine(line)).toBe(true);
    expect(line.length).toBeLessThanOrEqual(longest);
    // Half a character is a broken one in the log, the summary and the receipt.
    expect(line.isWellFormed()).toBe(true);
    expect(oneLine(line, longest)).toBe(line);
  }));

test("withoutCommands leaves nothing that a runner obeys, and all that a reader sees", () =>
  always(1000, [hostileText], (text) => {
    const harmless = withoutCommands(text);
    expect(commandsIn(harmless)).toEqual([]);
    expect(harmless.replaceAll(/[: ]/g, "")).toBe(text.replaceAll(/[: ]/g, ""));
  }));

test("withoutMarkdown leaves no character that means anything in a summary", () =>
  always(1000, [hostileText], (text) => {
    expect(markdownIn(withoutMarkdown(text))).toEqual([]);
  }));

test("a megabyte of anything is no more than text, and is read in no time", () => {
  for (const [name, text] of MEGABYTES) {
    expect(commandsIn(withoutCommands(text)), name).toEqual([]);
    expect(isPlainLine(oneLine(text)), name).toBe(true);
    expect(markdownIn(withoutMarkdown(text)), name).toEqual([]);
  }
});

describe("what the runner reads of this step", () => {
  const printed = stepOutput();

  afterEach(() => {
    process.exitCode = 0;
  });

  test("is our own commands alone, whatever is logged", async () => {
    await fc.assert(
      fc.asyncProperty(hostileText, async (text) => {
        printed.text = "";
        actionsLog.info(text);
        actionsLog.warning(text);
        await actionsLog.stage(text, async () => {});
        const heads = commandsIn(printed.text).map((line) => /^::(endgroup::$|warning::|group::)/.exec(line)?.[0]);
        expect(heads).toEqual(["::warning::", "::group::", "::endgroup::"]);
      }),
    );
  });

  test("is one error and its hint, whatever an error says", () =>
    always(100, [hostileText, hostileText, fc.boolean()], (message, hint, isKnown) => {
      printed.text = "";
      failStep(isKnown ? new UserError(message, { hint }) : new Error(message));
      expect(commandsIn(printed.text).map((line) => line.slice(0, 14))).toEqual(["::error title="]);
      const isBug = printed.text.includes("This is a bug of ephemeral-gpu-runner");
      expect(isBug).toBe(!isKnown || message.includes("This is a bug"));
    }));
});
