import { expect, test } from "vitest";
import { errorSentence } from "../../../../src/marketplace/vast/refusals.ts";

const PLAIN = "API requests too frequent: endpoint threshold=4.5*1.0";

test.each([
  // The specification's forms, then others that were seen.
  [{ msg: "The owner can't be removed." }, "The owner can't be removed."],
  [{ success: false, error: "forbidden", msg: "Blocked." }, "forbidden: Blocked."],
  [{ status: "failure", message: "Member not found." }, "Member not found."],
  [{ detail: "Too many requests" }, "Too many requests"],
  [{ success: false, error: "no_such_instance" }, "no_such_instance"],
  [{ error: "Gone.", msg: "Gone." }, "Gone."],
  [{ msg: "", message: "Full." }, "Full."],
  [{ msg: "error 404/3603:\n no_such_ask" }, "error 404/3603: no_such_ask"],
  // No object is shown as it came; an unknown one is not, as it could repeat a secret.
  [null, "null"],
  ["Gone.", '"Gone."'],
  [404, "404"],
  [{ msg: 7, error: { code: 1 } }, "no reason given"],
  [["no"], "no reason given"],
  [{ env: { GHR_JIT: "the-runner-configuration" } }, "no reason given"],
])("the sentence of %j", (body, sentence) => {
  expect(errorSentence(body, JSON.stringify(body))).toBe(sentence);
});

test("plain text is a sentence, blanks give no reason, and a page without an end is cut", () => {
  expect(errorSentence(undefined, `${PLAIN}\n`)).toBe(PLAIN);
  expect(["", " \n "].map((text) => errorSentence(undefined, text))).toEqual(["no reason given", "no reason given"]);
  expect(errorSentence(undefined, `<html>${"x".repeat(100_000)}`).length).toBe(301);
});

test("a refusal that repeats what was sent says no key of it", () => {
  const sent = "env: -e TOKEN=ghp_0123456789abcdefABCDEF0123456789abcd";
  expect(errorSentence({ msg: `invalid ${sent}` }, "")).toBe("invalid env: -e [46 characters]");
  expect(errorSentence(undefined, sent)).toBe("env: -e [46 characters]");
});
