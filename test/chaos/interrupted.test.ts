import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";

test("Ctrl-C ends the drawing: what is under way is played to its end, and reported", async () => {
  const options = ["--runs", "1000", "--seed", "5", "--worlds", "1"];
  const child = spawn(process.execPath, ["test/chaos/chaos.ts", ...options], { stdio: ["ignore", "pipe", "inherit"] });
  child.stdout.once("data", () => child.kill("SIGINT"));
  expect((await text(child.stdout)).trimEnd()).toMatch(/0 of 1 runs failed, in \d+ s$/);
});
