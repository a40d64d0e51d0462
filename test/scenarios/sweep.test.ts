import { expect } from "vitest";
import type { RunControl } from "../../simulator/github/runs/run-control.ts";
import type { RunSpec } from "../../simulator/github/runs/run-record.ts";
import { LOST_MACHINE_TITLE, lostJobsMark } from "../../src/github/annotations.ts";
import { test } from "../support/scenario.ts";
import { shownError, shownWarnings } from "../support/shown-error.ts";
import { until } from "../support/simulated-session.ts";
import { DONE_JOB, REPOSITORY_ID, RUNNING_JOB, type SweepOfAccount } from "../support/sweep-of-account.ts";

/** A run of which nothing has moved for 16 minutes. */
const LONG_AGO = { secondsAgo: 960 };
const CLEAN = "still billing: 0 instances";

test("what a completed run or attempt left is destroyed; the sweep waits out the minute after the run's end", async ({
  startSweep,
}) => {
  const session = await startSweep();
  const run = session.addRun(4711, [RUNNING_JOB]);
  session.addRun(4712, [DONE_JOB]);
  session.addRun(4712, [RUNNING_JOB], { attempt: 2 });
  const { id } = session.leftover({ runId: 4711 });
  const earlier = session.leftover({ runId: 4712, attempt: 1 });
  const current = session.leftover({ runId: 4712, attempt: 2 });
  session.sim.service.setFaults([{ operation: "listInstances", nth: 1, kind: "delay", seconds: 40 }]);
  const stage = session.step.startMain();
  // However long a busy machine took to start it: the run ends just before GitHub is asked.
  await until(() => stage.log().includes("::group::Sweep"), "the sweep");
  run.job("rent").complete();

  const main = await stage.done;
  expect(main.exitCode, main.log).toBe(0);
  expect(main.log).toContain("looking again when that minute is over");
  expect(main.log).toContain(`Leftover instance ${id} (run 4711, attempt 1) is destroyed: its run is over.`);
  expect(main.log).toContain(`Leftover instance ${earlier.id} (run 4712, attempt 1) is destroyed`);
  expect(main.summary).toContain(`| ${id} | 4711 | 1 | destroyed | its run is over |`);
  expect(session.alive()).toEqual([current.id]);
  expect(session.stillBilling()).toBe("still billing: 1 instances");
});

test("what a running run has is left, and so is what is another repository's or somebody else's", async ({
  startSweep,
}) => {
  const session = await startSweep();
  session.addRun(4711, [RUNNING_JOB]);
  session.addRun(4712, [DONE_JOB]);
  const running = session.leftover({ runId: 4711 });
  const others = [
    session.leftover({ runId: 4712, repository: REPOSITORY_ID + 1, expiresIn: -3600 }),
    // The same number on a GitHub server of a company.
    session.leftover({ runId: 4712, repository: `abcd${REPOSITORY_ID}`, expiresIn: -3600 }),
    session.sim.service.leaveBehind("my notebook"),
    session.sim.service.leaveBehind(`ghr2.${REPOSITORY_ID}.4712-1.abcdef.1.1`),
  ];

  const main = await session.step.mainSucceeds();
  expect(main.log).toContain("Instances of the account: 5. Of this repository: 1. Somebody else's, left alone: 4.");
  expect(main.log).toContain(`Instance ${running.id} is left: its run is not over.`);
  expect(main.log).toMatch(
    new RegExp(
      `The oldest machine of this repository that is alive: instance ${running.id}, [\\dms ]+ old, 0\\.\\d+ USD`,
    ),
  );
  expect(session.alive()).toEqual([running.id, ...others.map(({ id }) => id)]);
  expect(session.sim.service.journal.of("destroyInstance")).toEqual([]);
  expect(session.stillBilling()).toBe("still billing: 1 instances");
});

test.for([
  ["no answer", { kind: "reset" }, 0],
  // A token that may never see it makes the sweep red: nobody else would notice.
  ["a token without permission", { kind: "status", status: 403 }, 1],
] as const)(
  "GitHub can't tell (%s): what has expired goes, all else is left",
  async ([, fault, exitCode], { startSweep }) => {
    const session = await startSweep();
    session.addRun(4711, [DONE_JOB]);
    session.sim.github.setFaults([
      { operation: "getRunAttempt", ...fault },
      { operation: "listRuns", ...fault },
    ]);
    const expired = session.leftover({ runId: 4711, expiresIn: -1 });
    const doubtful = session.leftover({ runId: 4711 });

    const main = await session.step.startMain().done;
    expect(main.exitCode, main.log).toBe(exitCode);
    expect(main.log).toContain(
      `Leftover instance ${expired.id} (run 4711, attempt 1) is destroyed: its time was up at`,
    );
    expect(main.log).toContain(`Instance ${doubtful.id} is left: whether its run is over is not known`);
    expect(shownWarnings(main.log).join("\n")).toContain("Stuck runs could not be looked for.");
    expect(session.alive()).toEqual([doubtful.id]);
    expect(session.stillBilling()).toBe("still billing: 1 instances");
  },
);

test("what can't be destroyed makes the sweep red, and is named; what was only promised is asked for again, and goes", async ({
  startSweep,
}) => {
  const session = await startSweep();
  const stubborn = session.leftover({ runId: 4711, expiresIn: -1 });
  const other = session.leftover({ runId: 4712, expiresIn: -1 });
  const destroy = { operation: "destroyInstance", kind: "status" } as const;
  const refusal = { success: false, error: "forbidden", msg: "not today" };
  session.sim.service.setFaults([
    { ...destroy, instance: stubborn.id, status: 403, body: refusal },
    { ...destroy, instance: other.id, nth: 1, times: 2, status: 200, body: { success: true } },
  ]);

  const main = await session.step.mainFails();
  const error = shownError(main.log);
  expect(error).toMatchObject({ name: "SweepError", hint: expect.stringContaining("Destroy it") });
  expect(error.message).toContain(
    `instance ${stubborn.id} (Vast.ai refused "destroy an instance" (403): forbidden: not today`,
  );
  expect(error.message).not.toContain(String(other.id));
  expect(main.summary).toContain(`| ${stubborn.id} | 4711 | 1 | **could not be destroyed** |`);
  expect(session.alive()).toEqual([stubborn.id]);
  expect(session.stillBilling()).toBe("still billing: 1 instances");
});

test("a list that can't be read makes it red: nothing is known, nothing is destroyed", async ({ startSweep }) => {
  const session = await startSweep();
  const { id } = session.leftover({ runId: 4711, expiresIn: -1 });
  session.sim.service.setFaults([{ operation: "listInstances", kind: "status", status: 500 }]);

  const main = await session.step.mainFails();
  expect(shownError(main.log).name).toBe("ServerError");
  expect(session.alive()).toEqual([id]);
  expect(session.stillBilling()).toBe("still billing: 1 instances");
});

test("a stuck run is cancelled, seen to be over, and told with the reason", async ({ startSweep }) => {
  const session = await startSweep();
  const stuck = session.addRun(4713, [DONE_JOB, { name: "test", labels: ["gpu-4713-1"] }], LONG_AGO);
  const named = session.addRun(4714, [{ name: "test", labels: ["gpu-4714-1-cuda12"] }], LONG_AGO);

  const main = await session.step.mainSucceeds();
  expect([stuck.conclusion, named.conclusion]).toEqual(["cancelled", "cancelled"]);
  expect(main.log).toMatch(/Run 4713 \(attempt 1\), whose GPU job has waited for 1\d+m.* is cancelled\./);
  expect(main.summary).toMatch(
    /\| \[4713\]\(https:\/\/github\.com\/octo\/swept\/actions\/runs\/4713\) \| 1 \| .* \| cancelled \|/,
  );
  expect(main.summary).toContain('"Re-run failed jobs"');
  expect(session.sim.github.journal.of("forceCancelRun")).toEqual([]);
  expect(session.stillBilling()).toBe(CLEAN);
});

test("money is told first: a look for stuck runs that never ends hides nothing of it", async ({ startSweep }) => {
  const session = await startSweep();
  const { id } = session.leftover({ runId: 4711, expiresIn: -1 });
  session.sim.github.setFaults([{ operation: "listRuns", kind: "never-answer" }]);

  const stage = session.step.startMain();
  await until(() => session.sim.github.arrived("listRuns") > 0, "the look for stuck runs");
  expect(stage.log()).toContain(`Leftover instance ${id} (run 4711, attempt 1) is destroyed`);
  expect(stage.log()).toContain("No machine of this repository is alive.");
  stage.cancel();
  const main = await stage.done;
  expect(main.summary).toContain(`| ${id} | 4711 | 1 | destroyed |`);
  expect(session.stillBilling()).toBe(CLEAN);
});

/** May see annotations and branches, too. */
const RERUN = {
  with: { "rerun-lost": "true", "job-token": "ghs_that_may_rerun" },
  githubTokens: {
    ghs_that_may_rerun: {
      name: "rerun",
      kind: "integration" as const,
      permissions: { actions: "write", checks: "read", contents: "read" } as const,
    },
  },
};

/** A run that lost its machine: the renting job noted that and failed, GitHub ended the other. */
function addLost(session: SweepOfAccount, runId: number, ...others: RunSpec["jobs"]): RunControl {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a workflow's own form
  const gpu = { name: "test", labels: ["gpu-${{ github.run_id }}-${{ github.run_attempt }}"] };
  const run = session.addRun(runId, [RUNNING_JOB, gpu, ...others]);
  endAsLost(run);
  return run;
}

function endAsLost(run: RunControl): void {
  const message = `Machine 1 was lost while 'test' ran on it. ${lostJobsMark([run.job("test").id])}`;
  run.job("rent").annotate({ level: "warning", title: LOST_MACHINE_TITLE, message });
  run.job("rent").complete("failure");
  run.job("test").setStatus("in_progress");
  run.job("test").complete("failure");
}

test("rerun-lost: a run that only lost its machine is run again, once; others are left, each for its reason", async ({
  startSweep,
}) => {
  const session = await startSweep(RERUN);
  addLost(session, 4711);
  addLost(session, 4712, { name: "lint", labels: ["ubuntu-latest"], status: "completed", conclusion: "failure" });
  const byItself = session.addRun(4713, [RUNNING_JOB, { name: "test", labels: ["gpu-4713-1"] }]);
  byItself.job("rent").complete("failure");
  byItself.job("test").complete("failure");
  const attempts = (runId: number) => session.sim.github.runs().filter(({ id }) => id === runId).length;

  const main = await session.step.mainSucceeds();
  expect(main.log).toContain("The failed jobs of run 4711 are re-run, once: its machine was lost under 'test'.");
  expect(main.log).toContain("Run 4712 lost a machine and is left: its job 'lint' failed by itself.");
  expect(main.summary).toMatch(/\| \[4711\]\(\S+\/runs\/4711\) \| its failed jobs are re-run \|/);
  expect(main.summary).not.toContain("4713");
  expect([4711, 4712, 4713].map(attempts)).toEqual([2, 1, 1]);

  // The second attempt loses its machine as well.
  endAsLost(session.sim.github.runs().find(({ id, attempt }) => id === 4711 && attempt === 2) as RunControl);
  await session.step.mainSucceeds();
  expect(attempts(4711)).toBe(2);
  expect(session.stillBilling()).toBe(CLEAN);
});
