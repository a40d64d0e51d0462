import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import type { Scenario } from "../../simulator/scenario/scenario.ts";
import { gpuJob, RENT_JOB, type SimulatedSession, startSession } from "../support/simulated-session.ts";

const LASTING = gpuJob(["sleep 30", "echo 12 passed"]);
/** Long enough for some looks at the list. */
const LONG = gpuJob(["sleep 90", "echo 12 passed"]);

/** A host's reports, by the vendor's examples: per cent and GB. The use falls again. */
const BUSY = [
  { after: 0, gpu_util: 12, gpu_temp: 41, cpu_util: 8, mem_usage: 2, mem_limit: 32, vmem_usage: 0.6, disk_usage: 3 },
  {
    after: 25,
    gpu_util: 87,
    gpu_temp: 71,
    cpu_util: 45,
    mem_usage: 9.5,
    mem_limit: 32,
    vmem_usage: 7.2,
    disk_usage: 4,
  },
  { after: 70, gpu_util: 3, gpu_temp: 50, cpu_util: 2, mem_usage: 1, mem_limit: 32, vmem_usage: 0.2, disk_usage: 3.5 },
];
const LISTED = { cpuPeakPercent: 45, ramPeakGb: 9.5, ramTotalGb: 32, diskPeakGb: 4 };

type Usage = NonNullable<NonNullable<NonNullable<Scenario["offers"]>[number]["simulate"]>["usage"]>;

/** A market of one host, which reports this. */
function reporting(usage: Usage): Scenario {
  return { offers: [{ id: 11, simulate: { usage } }] };
}

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
  expect(session.run.job("test").log).not.toContain("ghr-figures");
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

test.concurrent("the list alone: its peaks, though the use falls again, and that they are the list's", async () => {
  await using session = await startSession({ scenario: reporting(BUSY), jobs: [RENT_JOB, LONG] });
  session.sim.github.setFaults([{ operation: "getJobLog", kind: "status", status: 403 }]);
  const { receipt, summary, told } = await toldBy(session);
  const gpu = { medianPercent: null, peakPercent: 87, memoryPeakGb: 7.2, memoryTotalGb: null, peakCelsius: 71 };
  expect(told).toMatchObject({ source: "list", gpu, ...LISTED, seconds: { setup: null, idle: null, work: null } });
  expect(receipt).toMatchObject({ source: "list", gpu, ...LISTED });
  expect(summary).toContain("87% peak");
  expect(summary).toContain("the service's list alone: the machine reported nothing");
});

test.concurrent("the machine's line beside the list: the GPU by its own driver, CPU and RAM by the list", async () => {
  await using session = await startSession({ scenario: reporting(BUSY), jobs: [RENT_JOB, LONG] });
  const { receipt, summary, told } = await toldBy(session);
  expect(told).toMatchObject({ source: "machine", ...LISTED, seconds: { work: expect.any(Number) } });
  expect(told.gpu.medianPercent).toEqual(expect.any(Number));
  expect(told.gpu.peakCelsius).not.toBe(71);
  expect(receipt.gpu).toEqual(told.gpu);
  expect(summary).toContain("the machine's own driver; CPU and RAM by the service's list");
});

/** A log that lies elsewhere, as GitHub's do. */
async function logWith(text: string): Promise<AsyncDisposable & { location: string }> {
  const server = createServer((_request, response) => response.end(text)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { location: `http://127.0.0.1:${port}/log`, [Symbol.asyncDispose]: async () => void server.close() };
}

const OWN = "instance=7001001 setup=5 idle=1 work=80 samples=16";
test.concurrent.each([
  ["commands and markup", `${OWN} use-peak=::error::<img src=x> [click](https://evil.example)`, "list", 87],
  // A carriage return ends a line: the second one is the machine's last word.
  [
    "escapes, and a second line in one",
    `${OWN} use-peak=9\u001b[31m\rghr-figures: v=1 ${OWN} use-peak=66`,
    "machine",
    66,
  ],
  ["more than a line is long", `${OWN} use-peak=66 ${"x=1 ".repeat(4000)}`, "list", 87],
  // What the rest holds true is still told.
  ["a use above 100% beside a true memory", `${OWN} use-peak=900 memory-peak=512 memory-total=24564`, "machine", null],
])("a hostile line, %s: nothing of it is shown", async (_what, pairs, source, peakPercent) => {
  await using log = await logWith(`12 passed\nghr-figures: v=1 ${pairs}\n`);
  await using session = await startSession({ scenario: reporting(BUSY), jobs: [RENT_JOB, LONG] });
  const { location } = log;
  session.sim.github.setFaults([{ operation: "getJobLog", kind: "status", status: 302, headers: { location } }]);
  const { summary, told } = await toldBy(session);
  expect(told).toMatchObject({ source, gpu: { peakPercent } });
  const shown = `${summary}${JSON.stringify(told)}`;
  for (const foreign of ["evil", "<img", "::error", "\u001b", "900"]) expect(shown).not.toContain(foreign);
});
