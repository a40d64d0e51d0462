import { expect, test } from "vitest";
import { findIdentity } from "../../setup/identity.ts";
import { SetupTestWorld } from "./support/setup-world.ts";

const LABEL = "gpu-$".concat("{{ github.run_id }}-$", "{{ github.run_attempt }}");

/** A workflow with a GPU job: what stands above the jobs, and what in it. */
const workflow = (above: string, job: string, runsOn = LABEL) =>
  `on: push\n${above}\njobs:\n  test:\n    runs-on: ${runsOn}\n    ${job}\n    steps: [{ run: pytest }]\n`;
const found = (text: string) => findIdentity([{ path: "gpu.yml", text }]).map(({ about, is }) => `${about} ${is}`);

test.each([
  ["its own", workflow("", "permissions: { contents: read, id-token: write }")],
  ["the workflow's", workflow("permissions: { id-token: write }", "timeout-minutes: 5")],
  ["all", workflow("", "permissions: write-all")],
  ["in a list of labels", workflow("", "permissions: { id-token: write }", `[self-hosted, "${LABEL}"]`)],
  ["by a group", workflow("", "permissions: { id-token: write }", `{ group: gpu, labels: "${LABEL}" }`)],
])("a GPU job that may ask for the cloud identity is found: %s", (_what, text) => {
  expect(found(text)).toEqual(["gpu.yml, job test bad"]);
});

test.each([
  ["a hosted job", workflow("", "permissions: { id-token: write }", "ubuntu-latest")],
  [
    "permissions of its own without it",
    workflow("permissions: { id-token: write }", "permissions: { contents: read }"),
  ],
  ["none", workflow("", "timeout-minutes: 5")],
  ["no workflow", "jobs: [1, 2]"],
  ["no YAML", "a: [b"],
])("nothing else is: %s", (_what, text) => {
  expect(found(text)).toEqual([]);
});

test.concurrent("init does not go on with such a job, and doctor names it", async () => {
  await using world = await SetupTestWorld.start();
  world.write(".github/workflows/own.yml", workflow("", "permissions: { id-token: write }"));
  const env = { RUNNER_TOKEN: world.simulator.github.runnerToken };
  const init = await world.run(["--yes", "--no-follow"], env);
  expect(init.err).toContain("The check is red: .github/workflows/own.yml, job test: id-token: write hands your cloud");
  const doctor = await world.run(["doctor", "--dry-run"], env);
  expect(doctor.out).toContain("✗ .github/workflows/own.yml, job test: id-token: write hands your cloud identity");
});
