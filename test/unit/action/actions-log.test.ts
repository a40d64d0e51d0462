import { expect, test, vi } from "vitest";
import { actionsLog, stepPage } from "../../../src/action/platform.ts";
import { stepOutput } from "../support/step-output.ts";

const printed = stepOutput();

/** The workflow commands that the platform would obey. */
function commands(): string[] {
  return printed.text.split("\n").filter((line) => line.trimStart().startsWith("::") || line.includes("##["));
}

test("no line can become a workflow command, whatever foreign text it carries", () => {
  actionsLog.info("offer 11:\n::error::evil");
  actionsLog.info("##[add-mask]x");
  expect(commands()).toEqual([]);
});

test("a stage is a group that is closed, also when its work fails", async () => {
  await actionsLog.stage("Search", async () => actionsLog.info("one"));
  const fault = new Error("broken");
  await expect(actionsLog.stage("Create\n::error::x", () => Promise.reject(fault))).rejects.toBe(fault);
  expect(commands().map((line) => line.split("::")[1])).toEqual(["group", "endgroup", "group", "endgroup"]);
});

test("a summary that can't be written is only logged", async () => {
  vi.stubEnv("GITHUB_STEP_SUMMARY", "/no/such/folder/summary");
  await stepPage.summarize("### Done");
  vi.unstubAllEnvs();
  expect(commands()[0]).toMatch(/^::warning::The job summary could not be written/);
});
