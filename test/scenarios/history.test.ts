import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { readHistoryText } from "../../src/market/history.ts";
import { textOf } from "../repo/support/repository.ts";
import { gpuJob, RENT_JOB, startSession } from "../support/simulated-session.ts";

/** What the call uploads with `receipt-artifact: true`, by these outputs of main. */
function uploadedBy(outputs: Readonly<Record<string, string>>): string[] {
  const { jobs } = parse(textOf(".github/workflows/gpu.yml")) as { jobs: { rent: { steps: Step[] } } };
  const upload = jobs.rent.steps.find(({ if: condition }) => condition?.includes("inputs.receipt-artifact"));
  const paths = upload?.with.path.replaceAll(
    /\$\{\{ steps\.rent\.outputs\.(\w+) \}\}/g,
    (_all, name) => outputs[name] ?? "",
  );
  return (paths ?? "").split("\n").filter((path) => path !== "");
}

interface Step {
  if?: string;
  with: { path: string };
}

test("history: what became of a machine is written before the step ends, and a folder in its place is a warning", async () => {
  const folder = mkdtempSync(join(tmpdir(), "history-"));
  const file = join(folder, "gpu-history.json");
  try {
    await using session = await startSession({ with: { history: file } });
    await session.step.mainSucceeds();
    const history = readHistoryText(readFileSync(file, "utf8"), Number.MAX_SAFE_INTEGER);
    const machine = session.instances()[0]?.offer.machine_id;
    expect(history).toEqual({
      machines: new Map([[machine, { servedAt: expect.any(Number), boots: [expect.any(Object)] }]]),
      runs: [expect.objectContaining({ run: 4711, attempt: 1, usd: expect.any(Number) })],
    });
    await session.step.postSucceeds();

    await using again = await startSession({
      with: { history: file },
      attempt: 2,
      jobs: [RENT_JOB, gpuJob(undefined, 2)],
    });
    const next = await again.step.startMain().done;
    expect(next.exitCode, next.log).toBe(0);
    expect(next.outputs.trend).toMatch(/-trend\.svg$/);
    const picture = Object.entries(next.temp).find(([name]) => name.endsWith("-trend.svg"))?.[1];
    expect(picture, "a curve of cost from the first run to the second").toMatch(
      /<path d="M20\.0,[\d.]+ L700\.0,[\d.]+"/,
    );
    const post = await again.step.startPost().done;
    expect(post.summary).toContain("The last 2 runs:");
    const uploaded = uploadedBy(next.outputs);
    expect(uploaded.map((path) => basename(path)).sort()).toEqual(Object.keys(next.temp).sort());
    expect(new Set(uploaded.map((path) => dirname(path))).size, "the artifact has no folders").toBe(1);
    expect(Object.keys(post.temp).sort(), "post writes the same files").toEqual(Object.keys(next.temp).sort());
    expect(again.stillBilling()).toBe("still billing: 0 instances");
    expect(session.stillBilling()).toBe("still billing: 0 instances");

    await using second = await startSession({ with: { history: folder } });
    const later = await second.step.startMain().done;
    expect(later.exitCode, later.log).toBe(0);
    expect(later.log).toContain(`The history ${folder} can't be used: it is not a file.`);
    expect((await second.step.startPost().done).exitCode).toBe(0);
    expect(second.stillBilling()).toBe("still billing: 0 instances");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
