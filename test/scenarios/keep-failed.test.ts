import { expect, test } from "vitest";
import { destruction } from "../../simulator/service/rentals/instance-record.ts";
import { shownError, shownWarnings } from "../support/shown-error.ts";
import { gpuJob, RENT_JOB, startUse } from "../support/use-of-action.ts";

test.concurrent("keep-failed: the machine of a job that failed stays for a look, the log says how, and then it goes", async () => {
  await using use = await startUse({ with: { "keep-failed": "3m" }, jobs: [RENT_JOB, gpuJob(["exit 3"])] });
  const main = await use.step.startMain().done;
  expect(main.exitCode, main.log).toBe(1);
  expect(shownError(main.log).name).toBe("GpuJobFailedError");
  const [kept = ""] = shownWarnings(main.log).filter((line) => line.includes("is kept for a look"));
  expect(kept).toMatch(
    /^Machine 1 is kept for a look, as 'test' failed on it: ssh -p \d+ root@\S+ \(the account's SSH keys are on it\)\. It costs 0\.00\d\d USD a minute, until 20\S+Z or until \/opt\/ghr\/done exists on it\.$/,
  );
  const [instance] = use.instances();
  const until = Date.parse(/until (20\S+Z)/.exec(kept)?.[1] ?? "");
  // The machine counts its own time, and main's limit is a minute later.
  expect(Number(instance && destruction(instance)?.at)).toBeGreaterThan(until - 90_000);

  expect((await use.step.startPost().done).exitCode).toBe(0);
  expect(use.stillBilling()).toBe("still billing: 0 instances");
});
