import { beforeEach, expect, test } from "vitest";
import { connectError, exitMessage, secretHider, showLastLines } from "../../../src/machine/log.ts";
import { RentingWorld } from "../support/renting-world.ts";
import { FAULTS } from "../support/service-faults.ts";

const JIT = Buffer.from('{".runner":"…",".credentials":"…"}'.repeat(20)).toString("base64");
const URL_OF_API = "PUT https://x.example";

test.each<[string, Record<string, string>, string, string]>([
  ["one that is no long word", { GHR_JIT: "one.two.three" }, "is one.two.three", "is [GHR_JIT]"],
  ["that of another job", { GHR_JIT_4: "one.two.three" }, "is one.two.three", "is [GHR_JIT_4]"],
  ["a short one whose name says that it is a secret", { API_KEY: "hunt" }, "key hunt", "key [API_KEY]"],
  ["not an empty one", { API_KEY: "" }, "key", "key"],
  ["a value that holds another", { A_TOKEN: "abcdefgh", B_TOKEN: "abcdefghij" }, "abcdefghij", "[B_TOKEN]"],
  ["each line of a value", { PEM_KEY: "first line\nsecond line" }, "x second line y", "x [PEM_KEY] y"],
  ["not the script's own addresses", { GHR_API_URL: "https://x.example" }, URL_OF_API, URL_OF_API],
  ["a piece of a configuration", {}, JIT.slice(100, 176), "[76 characters]"],
  ...[
    "-".repeat(80),
    "/usr/local/lib/python3/site/packages/torch/cuda",
    "a-name-of-small-letters-that-is-rather-long",
  ].map((word): [string, Record<string, string>, string, string] => [`not ${word}`, {}, word, word]),
])("secrets are hidden: %s", (_what, env, text, hidden) => {
  expect(secretHider(env)(text)).toBe(hidden);
});

const line = (text: string) => `2026-11-23T18:22:02Z ghr: ${text}\n`;
const WORDS = `${line("The runner ended with code 1.")}${line("No job came to it. Its last words: Error: Forbidden")}`;
const STAYS = line("Staying for 60 s.");
const CLOCK = "This machine is no good: its clock is 300 s off.";

test.each([
  ["our script", `${line(CLOCK)}date: cannot set date\n${STAYS}`, { by: "script", text: CLOCK }],
  ["a runner that ended without a job: the next one begins", `${WORDS}${line("Starting the runner.")}`, undefined],
  ["no words", `${line("No job came to it. Its last words: ")}${STAYS}`, undefined],
])("the last words of %s", (_who, log, message) => {
  expect(exitMessage(log)).toEqual(message);
});

const SAID = "Runner connect error: Service Unavailable. Retrying until reconnected.";
const AWAY = `2026-11-24 12:00:00Z: ${SAID}\n`;
test.each([
  ["in colours", AWAY.replace("Service", "Bad\u001b[31m").replace("\n", "\r\n"), SAID.replace("Service", "Bad [31m")],
  ["that it is back", `${AWAY}2026-11-24 12:01:00Z: Runner reconnected.\n`, undefined],
])("the last words of %s", (_what, log, said) => {
  expect(connectError(log)).toBe(said);
});

let world: RentingWorld;

beforeEach(() => {
  world = new RentingWorld();
});

async function shown(container = ""): Promise<string[]> {
  world.service.texts.container = container;
  const hideSecrets = (text: string) => text.replaceAll("hunter2", "***");
  await showLastLines(world.deps, { instanceId: 7, hideSecrets });
  return world.log.lines;
}

test.each([
  ["colours", "\u001b[31mred\u001b[0m", ["red"]],
  ["control characters", "a\u0000b\u202ec", ["a b c"]],
])("a machine's last lines: %s", async (_what, text, lines) => {
  expect(await shown(text)).toEqual(lines.map((line) => `  container | ${line}`));
});

test("a machine's last lines: empty ones are not worth a group", async () => {
  expect(await shown()).toEqual([]);
  expect(world.log.stages).toEqual([]);
});

test("a machine's last lines: there are none: one line says so, and no error of the service's", async () => {
  world.service.always("logs", FAULTS.notFound);
  const line = "Not all logs of instance 7 can be shown: it is gone, or the service keeps none.";
  expect(await shown()).toEqual([line]);
});

test("a machine's last lines: a bug of ours is not taken for a log that can't be had", async () => {
  world.service.always("logs", new TypeError("x is undefined"));
  await expect(shown()).rejects.toThrow(TypeError);
});
