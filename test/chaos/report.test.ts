import { expect, test } from "vitest";
import { Report } from "./report.ts";
import { checkRun } from "./rules/check-run.ts";
import { facts, instance, stage } from "./rules/facts.ts";

test("whoever waits hears after every hundredth run how many there were, and how many broke a rule", () => {
  const report = new Report();
  const leak = facts({ instances: [instance(1, { goneAt: undefined })], post: stage("post", { alive: [1] }) });
  report.add(leak, checkRun(leak));
  const well = facts({});
  const lines: (string | undefined)[] = [report.progress()];
  while (report.runs < 200) {
    report.add(well, checkRun(well));
    lines.push(report.progress());
  }
  expect(lines.filter((line) => line !== undefined)).toEqual([
    "runs so far: 100; broke a rule: 1",
    "runs so far: 200; broke a rule: 1",
  ]);
});
