import { expect, test } from "vitest";
import { SetupTestWorld } from "./support/setup-world.ts";

const READING = /^GET /;

test.concurrent("a dry run prints every change, and makes none", async () => {
  await using world = await SetupTestWorld.start({ files: { "test_it.py": "import torch\n" } });
  const { github, service } = world.simulator;
  const { code, out, err } = await world.run(["--yes", "--dry-run"], { RUNNER_TOKEN: github.runnerToken });
  expect({ code, err }, out + err).toEqual({ code: 0, err: "" });
  for (const change of [
    "Make the environment gpu, for main and gh-readonly-queue/main/* alone.",
    "Make the environment gpu-pr, for every branch: each run of a pull request waits for your approval.",
    'Make the key "gpu tests of octo/gpu-lib"',
    "into the environments gpu and gpu-pr as RUNNER_TOKEN",
    "Write .github/workflows/gpu.yml:",
    "Write .github/workflows/gpu-sweep.yml:",
    "Write .github/workflows/gpu-sweep-scheduled.yml:",
    "open a pull request",
    "Nothing was changed",
  ])
    expect(out).toContain(change);
  expect(github.journal.entries.filter(({ method }) => !READING.test(`${method} `))).toEqual([]);
  const changing = service.journal.entries.filter(
    ({ operation }) => !/^(search|list|get|current)/.test(String(operation)),
  );
  expect(changing).toEqual([]);
  expect(world.git(["status", "--porcelain"])).toBe("");
});

test.concurrent("several GPUs are proposed, and the price's market stands beside it", async () => {
  await using world = await SetupTestWorld.start();
  const { out } = await world.run(["--dry-run"]);
  expect(out).toContain("+          gpu-name: RTX 3090, RTX 4090");
  expect(out).toMatch(
    /\+ +max-price: 0\.35 # USD an hour, proposed on \d{4}-\d\d-\d\d, 8 machines below it, RTX 4090 from 0\.31, RTX 3090 from 0\.18\n/,
  );
});

test.concurrent("--job-minutes is in the table's last column, and in the workflow", async () => {
  await using world = await SetupTestWorld.start();
  const { out } = await world.run(["--dry-run", "--job-minutes", "40"]);
  expect(out).toMatch(/USD\/GB +40-minute job/);
  expect(out).toContain("+          job-minutes: 40");
  expect(out).toContain("+    timeout-minutes: 80");
});

test.concurrent("the market's table has each kind, the proposed price leaves eight machines, and the image is the library's", async () => {
  await using world = await SetupTestWorld.start({
    files: {
      "lib.py": "import torch\n",
      "requirements.txt": "torch==2.7.1\n",
      "tests/test_lib.py": "@pytest.mark.gpu\n",
    },
  });
  const { out } = await world.run(["--dry-run"]);
  expect(out).toMatch(/RTX 4090 +24 GB +9 +0\.31 +0\.35 +0\.002 +0\.\d\d/);
  expect(out).toMatch(/RTX 3090 +24 GB +3 /);
  expect(out).toMatch(/max-price +0\.35 USD/);
  expect(out).toContain("pytorch/pytorch:2.7.1-cuda12.8-cudnn9-runtime");
  expect(out).toContain("python -m pip install pytest -r requirements.txt && python -m pytest -m gpu");
});
