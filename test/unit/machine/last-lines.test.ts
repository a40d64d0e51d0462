import { beforeEach, describe, expect, test } from "vitest";
import { showLastLines } from "../../../src/machine/log.ts";
import { RentingWorld } from "../support/renting-world.ts";
import { FAULTS } from "../support/service-faults.ts";

let world: RentingWorld;

beforeEach(() => {
  world = new RentingWorld();
});

const showing = () =>
  showLastLines(world.deps, { instanceId: 7, hideSecrets: (text) => text.replaceAll("hunter2", "***") });

test("without secrets", async () => {
  world.service.texts.container = "login hunter2";
  await showing();
  expect(world.log.lines).toEqual(["  container | login ***"]);
});

test("empty ones are not worth a group", async () => {
  await showing();
  expect(world.log.stages).toEqual([]);
  expect(world.log.lines).toEqual([]);
});

test("one of them can't be had: the other is shown", async () => {
  world.service.texts.daemon = "Pulling fs layer";
  world.service.next("logs", FAULTS.noAnswer);
  await showing();
  expect(world.log.lines).toEqual([
    "  daemon    | Pulling fs layer",
    expect.stringContaining("Not all logs of instance 7 can be shown: Vast.ai gave no answer"),
  ]);
});

test("there are none: one line says so, and no error of the service's", async () => {
  world.service.always("logs", FAULTS.notFound);
  await showing();
  expect(world.log.lines).toEqual(["Not all logs of instance 7 can be shown: it is gone, or the service keeps none."]);
});

test("a bug of ours is not taken for a log that can't be had", async () => {
  world.service.always("logs", new TypeError("x is undefined"));
  await expect(showing()).rejects.toThrow(TypeError);
});

describe("whatever the machine's owner wrote", () => {
  test.each([
    ["a workflow command", "::error::obey", ["  container | ::error::obey"]],
    ["the end of our group", "::endgroup::", ["  container | ::endgroup::"]],
    ["a progress bar", "10%\r50%\r100%", ["  container | 10%", "  container | 50%", "  container | 100%"]],
    ["colours", "\u001b[31mred\u001b[0m", ["  container | red"]],
    ["control characters", "a\u0000b\u202ec", ["  container | a b c"]],
    ["a line of a megabyte", "x".repeat(1_000_000), [`  container | ${"x".repeat(100)}…${"x".repeat(200)}`]],
  ])("%s", async (_what, text, shown) => {
    world.service.texts.container = text;
    await showing();
    expect(world.log.lines).toEqual(shown);
  });
});
