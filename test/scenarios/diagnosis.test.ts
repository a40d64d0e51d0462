import { expect, test } from "vitest";
import type { Simulate } from "../../simulator/scenario/simulate.ts";
import { shownError } from "../support/shown-error.ts";
import { ENDLESS_JOB, gpuJob, RENT_JOB, startSession, until } from "../support/simulated-session.ts";

/** Log files are fetched within 5 s: here these are a second of real time. */
const SLOWLY = 5;

const BROKEN: Simulate = {
  statuses: [
    { after: 1, actual_status: "loading", status_msg: "5a7813e071bf: Pulling fs layer" },
    { after: 3, actual_status: "running" },
    { after: 8, actual_status: "exited", status_msg: "the container ended" },
  ],
};

test.concurrent("a machine that fails shows its last lines, after its runner went and before it is destroyed", async () => {
  const offers = [{ id: 11, dph_base: 0.3, simulate: { ...BROKEN, machine: { onstart: "skip" as const } } }];
  await using session = await startSession({ factor: SLOWLY, with: { attempts: "1" }, scenario: { offers } });
  const stage = session.step.startMain();
  await until(() => session.instances().length === 1, "the machine");
  const [instance] = session.instances();
  const jit = instance?.order.env.GHR_JIT ?? "none";
  const text = [
    `export GHR_JIT=${jit}`,
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
  const first = (what: RegExp) => session.events.findIndex((line) => what.test(line));
  const order = [/github: .*DELETE .*runners/, /PUT .*request_logs/, /GET .*log-files/, /DELETE .*instances/].map(
    first,
  );
  expect(order).not.toContain(-1);
  expect(order).toEqual(order.toSorted((left, right) => left - right));
  expect(session.stillBilling()).toBe("still billing: 0 instances");
  await session.endClean();
});

test.concurrent("a machine that can't prove its key says so itself", async () => {
  const offers = [{ id: 11, simulate: { instanceKey: "wrong" as const } }];
  await using session = await startSession({
    factor: SLOWLY,
    // A limit of its own: else the only machine would be kept as long as its job may wait.
    with: { attempts: "1", "boot-timeout": "5m", "online-timeout": "30s" },
    scenario: { offers },
  });

  const main = await session.step.mainFails();
  expect(main.log).toMatch(/ {2}container \| \S+ ghr: The service answers 401/);
  await session.endClean();
});

test.concurrent("64 offers, all broken: attempts bounds it, each machine is told, and nothing bills", async () => {
  const offers = Array.from({ length: 64 }, (_none, index) => ({
    id: index + 1,
    machine_id: 500 + index,
    dph_base: 0.3 + index / 1000,
    simulate: { statuses: [{ after: 2, actual_status: "exited", status_msg: "exit code 127" }] },
  }));
  await using session = await startSession({ scenario: { offers } });

  const main = await session.step.mainFails();
  expect(shownError(main.log)).toMatchObject({
    name: "AttemptsExhaustedError",
    message: expect.stringMatching(
      /^4 of 4 machines failed: 4 broken hosts\. Attempt 1, offer 1 .*Nothing is rented any more\.$/,
    ),
  });
  expect(session.instances()).toHaveLength(4);
  const table = main.log.slice(main.log.indexOf("The machines of this session:")).split("\n").slice(2, 6);
  expect(table.map((line) => line.trim().split(/ {2,}/).slice(0, 3))).toEqual([
    ["1", "500", "1"],
    ["2", "501", "2"],
    ["3", "502", "3"],
    ["4", "503", "4"],
  ]);
  for (const line of table) expect(line).toMatch(/ booting \d+s .*exited: exit code 127$/);
  expect(session.stillBilling()).toBe("still billing: 0 instances");

  const post = await session.endClean();
  expect(post.summary).toMatch(/^### \d of \d machines failed&#58; .*\.\n/);
  expect(post.summary.match(/exited&#58; exit code 127/g)).toHaveLength(4);
  expect(post.summary).toContain("**Still rented: nothing.**");
});

test.concurrent("offers that are all gone are counted, also where nothing was rented", async () => {
  const offers = Array.from({ length: 12 }, (_none, index) => ({ id: index + 1, simulate: { unavailable: true } }));
  await using session = await startSession({ scenario: { offers } });

  const main = await session.step.mainFails();
  expect(shownError(main.log)).toMatchObject({ name: "OffersExhaustedError" });
  const post = await session.endClean();
  expect(post.summary).toMatch(/^### No machine could be rented\.\n/);
  expect(post.summary).toContain("12 offers were gone when they were asked for.");
  expect(session.sim.github.runners()).toEqual([]);
});

test.concurrent("a GPU name with a pipe and a host's text full of commands and Markdown stay what they are: text", async () => {
  const evil =
    "exec failed\n::set-output name=x::y\n##[error]obey\r\n| a | **b** | <img src=x> [c](https://evil.example) `d`";
  const simulate = { statuses: [{ after: 2, actual_status: "exited", status_msg: evil }] };
  const offers = [{ id: 11, gpu_name: "RTX | 4090\n::error::obey", dph_base: 0.3, simulate }];
  await using session = await startSession({ with: { "gpu-name": undefined, attempts: "1" }, scenario: { offers } });

  const main = await session.step.mainFails();
  // One annotation, and it is ours.
  expect(shownError(main.log).message).toContain("exec failed ::set-output name=x::y");
  expect(session.stillBilling()).toBe("still billing: 0 instances");

  const post = await session.endClean();
  const [head, , row] = post.summary.split("\n").filter((line) => line.startsWith("|"));
  expect(row?.split("|")).toHaveLength(head?.split("|").length ?? 0);
  expect(row).toContain("1 × RTX &#124; 4090 &#58;&#58;error&#58;&#58;obey");
  expect(post.summary).not.toMatch(/<img|\*\*b\*\*|https:\/\/evil|`d`|^::/m);
});

test.concurrent("a GPU job that is over in 2 s, before main looks for the first time", async () => {
  await using session = await startSession({ jobs: [RENT_JOB, gpuJob(["true"])] });

  const main = await session.step.mainSucceeds();
  expect(main.log).toContain("The GPU job is over.");
  expect(session.instances()).toHaveLength(1);
  expect(session.run.job("test").conclusion).toBe("success");

  const post = await session.endClean();
  expect(post.summary).toMatch(
    /^### The GPU job ran on 1 × RTX 4090 at 0\.32 USD per hour: about 0\.\d+ USD, .*\d+m?s?\.\n/,
  );
});

test.concurrent("timeout-minutes of the step: main is stopped, post gives back, and the summary says what it was", async () => {
  await using session = await startSession({ jobs: [RENT_JOB, ENDLESS_JOB] });
  const stage = session.step.startMain();
  await until(() => session.run.job("test").status === "in_progress", "the GPU job");
  // As the platform does it: the signals of a cancel, but the job is not cancelled.
  stage.kill("SIGINT");

  const main = await stage.done;
  expect(main.exitCode, main.log).toBe(1);
  expect(main.log).toContain("Stopped by SIGINT. The post step gives back whatever is rented.");
  const post = await session.endClean();
  expect(post.log.split("\n").filter((line) => /^::(error|warning)/.test(line))).toEqual([
    expect.stringMatching(
      /^::error title=The main step was cut off::timeout-minutes of this step ran out, and the job itself was not cancelled\. Set timeout-minutes on the job instead\. What was rented is given back\. No machine is left, while 'test' was running\. Cancel the run, or GitHub ends its job after about ten minutes: http/,
    ),
  ]);
  expect(post.summary).toMatch(/^### The machine was given back under a running job\.\n/);
  expect(post.summary).toContain("Set timeout-minutes on the job instead.");
});

test.concurrent("a failure before anything is rented: the summary says why, and what to do", async () => {
  await using session = await startSession({ with: { "max-price": "0.10" } });

  await session.step.mainFails();
  const post = await session.endClean();
  expect(post.summary).toMatch(/^### No machine could be rented\.\n\nNo RTX 4090 under 0\.10 USD/);
  expect(post.summary).toContain("**What to do:** ");
  expect(post.summary).toContain("**Still rented: nothing.**");
});
