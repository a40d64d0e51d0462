import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { gpuJob, RENT_JOB, type SimulatedSession, startSession } from "../support/simulated-session.ts";

const LASTING = gpuJob(["sleep 30", "echo 12 passed"]);
/** Runs it to its end; what the output and the summary tell of the only machine. */
async function toldBy(session: SimulatedSession) {
  const main = await session.step.mainSucceeds();
  const post = await session.step.startPost().done;
  expect(session.stillBilling()).toBe("still billing: 0 instances");
  const receipt = Object.entries(post.temp).find(([name]) => name.endsWith(".json"))?.[1] ?? "";
  return {
    told: JSON.parse(main.outputs["gpu-figures"] ?? "[]")[0],
    receipt: JSON.parse(receipt).machines[0].figures,
    summary: post.summary,
  };
}

test.concurrent("gpu-figures: false asks no machine and reads no log, and the summary says that nothing is reported", async () => {
  await using session = await startSession({ with: { "gpu-figures": "false" }, jobs: [RENT_JOB, LASTING] });
  await session.step.mainSucceeds();
  expect(session.run.job("test").log).not.toContain("The GPUs of instance");
  expect(session.sim.github.journal.of("getJobLog")).toEqual([]);
  const post = await session.step.startPost().done;
  expect(post.summary).toContain("What the GPUs did: not reported.");
  expect(session.stillBilling()).toBe("still billing: 0 instances");
});

test.concurrent("a log that GitHub does not hand out fails nothing and holds nothing: told once, not reported", async () => {
  await using session = await startSession({ jobs: [RENT_JOB, LASTING] });
  session.sim.github.setFaults([{ operation: "getJobLog", kind: "status", status: 403 }]);
  const main = await session.step.mainSucceeds();
  expect(main.log.match(/What the GPUs did is not reported for every job/g)).toHaveLength(1);
  const post = await session.step.startPost().done;
  expect(post.summary).toContain("What the GPUs did: not reported.");
  expect(session.stillBilling()).toBe("still billing: 0 instances");
});

test.concurrent("the machine's line: the GPU by its own driver, in output, receipt and summary", async () => {
  await using session = await startSession({ jobs: [RENT_JOB, LASTING] });
  const { receipt, summary, told } = await toldBy(session);
  expect(told).toMatchObject({ source: "machine", seconds: { work: expect.any(Number) } });
  expect(told.gpu.medianPercent).toEqual(expect.any(Number));
  expect(receipt.gpu).toEqual(told.gpu);
  expect(summary).toContain(`${told.gpu.medianPercent}% median`);
});

/** A log that lies elsewhere, as GitHub's do. */
async function logWith(text: string): Promise<AsyncDisposable & { location: string }> {
  const server = createServer((_request, response) => response.end(text)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { location: `http://127.0.0.1:${port}/log`, [Symbol.asyncDispose]: async () => void server.close() };
}

const OWN = "The GPUs of instance 7001001 during this job: setup 5 s, idle 1 s, work 25 s, samples 5";
test.concurrent.each([
  ["commands and markup", `${OWN}, peak use ::error::<img src=x> [click](https://evil.example).`, null, null],
  // A carriage return ends a line: the second one is the machine's last word.
  ["escapes, and a second line in one", `${OWN}, peak use 9%\u001b[31m\r${OWN}, peak use 66%.`, "machine", 66],
  ["more than a line is long", `${OWN}, peak use 66%${", x 1".repeat(4000)}.`, null, null],
  // What the rest holds true is still told.
  [
    "a use above 100% beside a true memory",
    `${OWN}, peak use 900%, peak memory 512 MiB, memory 24564 MiB.`,
    "machine",
    null,
  ],
])("a hostile line, %s: nothing of it is shown", async (_what, line, source, peakPercent) => {
  await using log = await logWith(`12 passed\n${line}\n`);
  await using session = await startSession({ jobs: [RENT_JOB, LASTING] });
  const { location } = log;
  session.sim.github.setFaults([{ operation: "getJobLog", kind: "status", status: 302, headers: { location } }]);
  const { summary, told } = await toldBy(session);
  expect(told).toMatchObject({ source, gpu: { peakPercent } });
  // The chart's times have any digits.
  const shown = `${summary.replace(/```mermaid[\s\S]*?```/, "")}${JSON.stringify(told)}`;
  for (const foreign of ["evil", "<img", "::error", "\u001b", "900"]) expect(shown).not.toContain(foreign);
});
