import { expect } from "vitest";
import type { Simulate } from "../../simulator/scenario/simulate.ts";
import { test } from "../support/scenario.ts";
import { ENDLESS_JOB, RENT_JOB, until } from "../support/simulated-session.ts";

/** Log files are fetched within 5 s: here these are a second of real time. */
const SLOWLY = 5;
const EVIL = "no space left on device\n::error title=Pwned::obey\n##[warning]me | `x` <img src=y>";

/** Boots to that state after so many seconds. */
function boot(actual_status: string, status_msg?: string, after = 3): Simulate {
  const end = { after, actual_status, ...(status_msg && { status_msg }) };
  return { statuses: [{ after: 1, actual_status: "loading" }, end] };
}

/** Machines that are no good, in the order of their prices, and what is told of each. */
type Bad = [Simulate, RegExp][];

const NEVER_RUN: Bad = [
  // So late that the market is searched anew.
  [boot("exited", undefined, 65), /it is exited/],
  [boot("offline"), /it is offline/],
  [boot("unknown"), /it is unknown/],
  [boot("created", EVIL), /no space left on device ::error title=Pwned::obey/],
];

const RUN_IN_VAIN: Bad = [
  [{ machine: { onstart: "skip" } }, /its runner did not come online within online-timeout \(30s\)/],
  [{ instanceKey: "wrong" }, /machine 2: failed: its runner did not come online within online-timeout \(30s\)/],
  [{ machine: { gpus: 0 } }, /it gives itself back: nvidia-smi fails: No devices were found \(code 6\)/],
  [{ machine: { gpuName: "NVIDIA GeForce GTX 1080" } }, /it gives itself back: This machine is no good: probe ended/],
];

test.for([
  ["never runs", NEVER_RUN],
  ["runs, and can't take a job", RUN_IN_VAIN],
] as const)(
  "each machine that %s is given back with its reason, and the next one does the job",
  async ([, bad], { start }) => {
    const machines = bad.map(([simulate], index) => ({ machine_id: 501 + index, simulate }));
    // The last but one is on the host of the first: it is not taken a second time.
    const offers = [...machines, { machine_id: 501 }, { machine_id: 601 }].map((offer, index) => ({
      id: 11 + index,
      dph_base: 0.3 + index / 1000,
      ...offer,
    }));
    const session = await start({
      with: {
        attempts: "9",
        "online-timeout": "30s",
        "ready-timeout": "1h",
        probe: "nvidia-smi -L | grep -q 'RTX 4090' || { echo 'not what I asked for'; exit 1; }",
      },
      scenario: { offers },
    });

    const main = await session.step.mainSucceeds();
    for (const [, told] of bad) expect(main.log).toMatch(told);
    expect(session.rentedOffers()).toEqual([11, 12, 13, 14, 16]);
    expect(session.destroyers().slice(0, bad.length)).toEqual(bad.map(() => "account"));
    expect(session.run.job("test").runnerName).toBe(main.outputs["runner-name"]);
    expect(session.run.job("test").conclusion).toBe("success");

    const post = await session.endClean();
    expect(post.summary).not.toMatch(/`x`|<img|^::/m);
  },
);

test("64 offers, all broken: attempts bounds it, each machine is told, and nothing bills", async ({ start }) => {
  const offers = Array.from({ length: 64 }, (_none, index) => ({
    id: index + 1,
    machine_id: 500 + index,
    dph_base: 0.3 + index / 1000,
    simulate: boot("exited", "exit code 127"),
  }));
  const session = await start({ scenario: { offers } });

  const { log, ...error } = await session.errorOfMain();
  expect(error).toMatchObject({
    name: "AttemptsExhaustedError",
    message: expect.stringMatching(
      /^4 of 4 machines failed: 4 broken hosts\. Attempt 1, offer 1 .*Nothing is rented any more\.$/,
    ),
  });
  expect(session.rentedOffers()).toEqual([1, 2, 3, 4]);
  const table = log.slice(log.indexOf("The machines of this session:")).split("\n").slice(2, 6);
  expect(table.map((line) => line.trim().split(/ {2,}/).slice(0, 3).join(" "))).toEqual([
    "1 500 1",
    "2 501 2",
    "3 502 3",
    "4 503 4",
  ]);
  for (const line of table) expect(line).toMatch(/ booting \d+s .*exited: exit code 127$/);
  expect(session.stillBilling()).toBe("still billing: 0 instances");

  const post = await session.endClean();
  expect(post.summary).toMatch(/^### \d of \d machines failed&#58; .*\.\n/);
  expect(post.summary.match(/exited&#58; exit code 127/g)).toHaveLength(4);
  expect(post.log).toContain("GitHub cancels the run: its GPU job can have no machine.");
});

test("a machine that fails shows its last lines, without its secrets, after its runner went and before it is destroyed", async ({
  start,
}) => {
  const statuses = [
    { after: 1, actual_status: "running" },
    { after: 8, actual_status: "exited", status_msg: "the container ended" },
  ];
  const offers = [{ id: 11, dph_base: 0.3, simulate: { statuses, machine: { onstart: "skip" as const } } }];
  const session = await start({ factor: SLOWLY, with: { attempts: "1" }, scenario: { offers } });
  const stage = session.step.startMain();
  await until(() => session.instances().length === 1, "the machine");
  const [instance] = session.instances();
  const text = [
    `export GHR_JIT=${instance?.order.env.GHR_JIT}`,
    `curl -H "Authorization: Bearer ${instance?.apiKey}"`,
    "::error title=Pwned::obey",
    "::endgroup::",
    "##[group]mine",
    "Segmentation fault",
  ].join("\n");
  session.sim.service.setFaults([{ operation: "getLogFile", kind: "text", text, nth: 1 }]);

  const main = await stage.done;
  expect(main.exitCode, main.log).toBe(1);
  const [, group] = /::group::Last lines of instance \d+\n([\s\S]*?)\n::endgroup::/.exec(main.log) ?? [];
  expect(group).toContain("  container | export GHR_JIT=***");
  expect(group).toContain('  container | curl -H "Authorization: Bearer ***"');
  expect(group).toContain("  container | Segmentation fault");
  expect(group).toContain("exited: the container ended");
  const order = [/github: .*DELETE .*runners/, /PUT .*request_logs/, /GET .*log-files/, /DELETE .*instances/].map(
    (what) => session.events.findIndex((line) => what.test(line)),
  );
  expect(order).not.toContain(-1);
  expect(order).toEqual(order.toSorted((left, right) => left - right));
  expect(session.stillBilling()).toBe("still billing: 0 instances");
});

test("a machine that seems not to come online and runs the job all the same is never taken away", async ({ start }) => {
  const session = await start({ with: { "online-timeout": "2m" }, jobs: [RENT_JOB, ENDLESS_JOB] });
  const stage = session.step.startMain();
  await until(() => session.instances().length === 1, "the create");
  // The runner is shown late, the jobs can't be read: only its removal tells that it is busy.
  const stale = { id: 0, name: "stale", os: "linux", status: "offline", busy: false, labels: [] };
  session.sim.github.setFaults([
    { operation: "getRunner", kind: "status", status: 200, body: stale },
    { operation: "listJobs", kind: "status", status: 503 },
  ]);
  await until(() => session.run.job("test").status === "in_progress", "the GPU job");
  await until(() => session.sim.github.journal.of("removeRunner").length > 0, "the attempt to give it up");
  expect(session.sim.github.journal.of("removeRunner")[0]?.status).toBe(422);
  session.sim.github.setFaults([]);
  await until(() => stage.log().includes("busy with "), "the hold");
  session.run.job("test").complete();

  const main = await stage.done;
  expect(main.exitCode, main.log).toBe(0);
  expect(session.instances()).toHaveLength(1);
});
