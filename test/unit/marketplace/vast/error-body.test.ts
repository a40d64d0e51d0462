import { describe, expect, test } from "vitest";
import { errorSentence } from "../../../../src/marketplace/vast/refusals.ts";

describe("the shapes of the specification", () => {
  test.each([
    ["{msg}", { msg: "The owner can't be removed." }, "The owner can't be removed."],
    ["{success, error, msg}", { success: false, error: "forbidden", msg: "Blocked." }, "forbidden: Blocked."],
    ["{status, message}", { status: "failure", message: "Member not found." }, "Member not found."],
  ])("%s", (_shape, body, sentence) => {
    expect(errorSentence(body, JSON.stringify(body))).toBe(sentence);
  });
});

describe("other shapes that were seen", () => {
  test.each([
    ["{detail}", { detail: "Too many requests" }, "Too many requests"],
    ["a code alone", { success: false, error: "no_such_instance" }, "no_such_instance"],
    ["a code that is the sentence", { error: "Gone.", msg: "Gone." }, "Gone."],
    ["an empty sentence and a full one", { msg: "", message: "Full." }, "Full."],
    ["a sentence over several lines", { msg: "error 404/3603:\n no_such_ask" }, "error 404/3603: no_such_ask"],
  ])("%s", (_shape, body, sentence) => {
    expect(errorSentence(body, JSON.stringify(body))).toBe(sentence);
  });

  test("plain text", () => {
    expect(errorSentence(undefined, "API requests too frequent: endpoint threshold=4.5*1.0\n")).toBe(
      "API requests too frequent: endpoint threshold=4.5*1.0",
    );
  });
});

describe("junk", () => {
  test.each([
    ["nothing at all", undefined, ""],
    ["blanks", undefined, " \n "],
  ])("%s gives no reason", (_what, body, text) => {
    expect(errorSentence(body, text)).toBe("no reason given");
  });

  test.each([
    ["null", null],
    ["a string", "Gone."],
    ["a number", 404],
  ])("%s is shown as it came, and never throws", (_what, body) => {
    expect(errorSentence(body, JSON.stringify(body))).toBe(JSON.stringify(body));
  });

  test.each([
    ["fields of other types", { msg: 7, error: { code: 1 } }],
    ["an array", ["no"]],
    ["what was sent", { env: { GHR_JIT: "the-runner-configuration" } }],
  ])("%s: an unknown body is not shown, because it could repeat a secret", (_what, body) => {
    expect(errorSentence(body, JSON.stringify(body))).toBe("no reason given");
  });

  test("a page without an end is cut", () => {
    expect(errorSentence(undefined, `<html>${"x".repeat(100_000)}`).length).toBe(301);
  });
});

test("a refusal that repeats what was sent says no key of it", () => {
  const sent = "env: -e TOKEN=ghp_0123456789abcdefABCDEF0123456789abcd";
  expect(errorSentence({ msg: `invalid ${sent}` }, "")).toBe("invalid env: -e [46 characters]");
  expect(errorSentence(undefined, sent)).toBe("env: -e [46 characters]");
});
