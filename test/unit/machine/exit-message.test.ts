import { expect, test } from "vitest";
import { connectError, exitMessage } from "../../../src/machine/log.ts";

const line = (text: string) => `2026-11-23T18:22:02Z ghr: ${text}\n`;
const ENDED = line("The runner ended with code 1.");
const WORDS = line("No job came to it. Its last words: Failed to create session. Error: Forbidden");
const STAYS = line("Staying for 60 s.");

test("what our script found wrong, whatever it printed in between", () => {
  const clock = "This machine is no good: its clock is 300 s off.";
  expect(exitMessage(`${line(clock)}date: cannot set date\n${STAYS}`)).toEqual({ by: "script", text: clock });
});

test.each([
  ["nothing is said yet", ""],
  ["a runner that ended without a job: the next one begins", `${ENDED}${WORDS}${line("Starting the runner.")}`],
  ["a job's own line", `${ENDED}${WORDS}Staying for 60 s.\n`],
  ["nothing before it", STAYS],
  ["no words", `${line("No job came to it. Its last words: ")}${STAYS}`],
])("none: %s", (_what, log) => {
  expect(exitMessage(log)).toBeUndefined();
});

const AWAY = "2026-11-24 12:00:00Z: Runner connect error: Service Unavailable. Retrying until reconnected.\n";

test("what a runner said of a GitHub that is away", () => {
  const said = "Runner connect error: Service Unavailable. Retrying until reconnected.";
  expect(connectError(`${line("Starting the runner.")}${AWAY}\n`)).toBe(said);
  expect(connectError(AWAY.replace("Service", "Bad\u001b[31m").replace("\n", "\r\n"))).toBe(
    said.replace("Service", "Bad [31m"),
  );
  expect(connectError(AWAY.replace("Unavailable", "x".repeat(999)))).toHaveLength(200);
});

test.each([
  ["it said nothing of it", line("Starting the runner.")],
  ["it is back", `${AWAY}2026-11-24 12:01:00Z: Runner reconnected.\n`],
])("nothing: %s", (_what, log) => {
  expect(connectError(log)).toBeUndefined();
});
