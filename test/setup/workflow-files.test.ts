import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { settingsIn } from "../../setup/read-back.ts";
import { ownership } from "../../setup/setting-nodes.ts";
import { workflowFiles } from "../../setup/workflows.ts";
import { SETTINGS } from "./support/settings.ts";

describe("the files", () => {
  const files = workflowFiles(SETTINGS);

  test("are YAML that holds what was asked for, whatever it contains", () => {
    const gpu = parse(files[0]?.text ?? "");
    expect(gpu.on.push.branches).toEqual(["release/1,'#{x"]);
    expect(gpu.jobs.rent.steps[0].with["client-id"]).toBe("Iv23liEXAMPLE");
    expect(gpu.jobs.rent.steps[1].with["github-token"]).toBe("$" + "{{ steps.app.outputs.token }}");
    expect(gpu.jobs.test.steps[1].run.trimEnd()).toBe(SETTINGS.command);
    for (const { text } of files) expect(text.match(/uses: .*@(?![0-9a-f]{40} # v\d)/g)).toBe(null);
  });

  test.each([
    [undefined, undefined, 30, undefined],
    [10, 10, 30, undefined],
    [40, 40, 80, undefined],
    [90, 90, 180, "190m"],
  ])(
    "--job-minutes %s: job-minutes %s, a limit of %d minutes, max-lifetime %s",
    (jobMinutes, told, limit, lifetime) => {
      const [file] = workflowFiles({ ...SETTINGS, jobMinutes });
      const { jobs } = parse(file?.text ?? "");
      expect(jobs.rent.steps[1].with["job-minutes"]).toBe(told);
      expect(jobs.rent.steps[1].with["max-lifetime"]).toBe(lifetime);
      expect(jobs.test["timeout-minutes"]).toBe(limit);
    },
  );

  // What the linter itself finds in them, .ci/run asks.
  test("say beside the one trigger that linters fear why it does no harm", () => {
    const lines = files.flatMap(({ text }) => text.split("\n"));
    const feared = lines.filter((line) => /^ +(workflow_run|pull_request_target|issue_comment):/.test(line));
    expect(feared).toEqual([expect.stringMatching(/ # zizmor: ignore\[dangerous-triggers\] \w+/)]);
  });

  test("say what must not be done and why, what a price was proposed on, and what renews them", () => {
    const proposed = "proposed on 2026-11-26, 9 machines below it, RTX 4090 from 0.31";
    const written = workflowFiles({ ...SETTINGS, proposed, minCuda: "12.8" });
    const [gpu = "", ...sweeps] = written.map(({ text }) => text);
    for (const words of [
      "test: # Give it no `needs: rent`",
      "# Runs of forks and Dependabot have no secrets",
      "timeout-minutes: 350 # GitHub kills a hosted job at 360",
      `max-price: 0.5 # USD an hour, ${proposed}\n`,
      'min-cuda: "12.8" #',
    ])
      expect(gpu).toContain(words);
    for (const text of [gpu, ...sweeps]) {
      expect(text).toContain("npx https://github.com/acme/ephemeral-gpu-runner/releases/latest/download/setup.tgz\n");
      expect(text).toContain("https://github.com/acme/ephemeral-gpu-runner/blob/main/docs/init.md\n");
    }
    expect(parse(gpu).jobs.rent.steps[1].with["max-cost"]).toBe(1);
    // A person changes the price, and leaves its market out, or not; writes something else there.
    expect(ownership(gpu.replace(/0\.5 # USD an hour, proposed.*/, "0.9"))).toBe("ours");
    expect(ownership(gpu.replace(/0\.5 # USD an hour/, "0.9 # USD an hour"))).toBe("ours");
    expect(ownership(gpu.replace(/0\.5 # USD an hour, proposed.*/, "0.9 # mine"))).toBe("changed");
  });

  test("register the runners in the organisation where a group is given, with that right alone", () => {
    const { rent } = parse(workflowFiles({ ...SETTINGS, runnerGroupId: 7 })[0]?.text ?? "").jobs;
    expect(rent.steps[0].with).toMatchObject({ "permission-organization-self-hosted-runners": "write" });
    expect(rent.steps[0].with["permission-administration"]).toBe(undefined);
    expect(rent.steps[1].with).toMatchObject({ "runner-scope": "org", "runner-group-id": 7 });
  });

  test("are known again, with their settings; one change beside those and they are not ours any more", () => {
    const [{ text = "" } = {}] = files;
    expect(files.map((file) => ownership(file.text))).toEqual(["ours", "ours", "ours"]);
    expect(ownership(text.replaceAll("\n", "\r\n"))).toBe("ours");
    expect(settingsIn(text)).toEqual(SETTINGS);
    expect(ownership(text.replace("max-price: 0.5", "max-price: 5"))).toBe("ours");
    expect(ownership(text.replace("runs-on: ubuntu-latest", "runs-on: self-hosted"))).toBe("changed");
    expect(ownership(text.replace("max-price: 0.5", "max-price: 5 # by hand"))).toBe("changed");
    expect(ownership("name: gpu\n")).toBe("foreign");
    expect(ownership("")).toBe("foreign");
  });
});
