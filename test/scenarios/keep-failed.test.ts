import { expect, test } from "vitest";
import { destruction } from "../../simulator/service/rentals/instance-record.ts";
import { plainOffers } from "../support/gpu-matrix.ts";
import { shownError, shownWarnings } from "../support/shown-error.ts";
import { gpuJob, RENT_JOB, startSession } from "../support/simulated-session.ts";

test.concurrent("keep-failed: the machine of a job that failed stays for a look, the log says how, and then it goes", async () => {
  await using session = await startSession({ with: { "keep-failed": "3m" }, jobs: [RENT_JOB, gpuJob(["exit 3"])] });
  const main = await session.step.mainFails();
  expect(shownError(main.log).name).toBe("GpuJobFailedError");
  const [kept = ""] = shownWarnings(main.log).filter((line) => line.includes("is kept, because"));
  expect(kept).toMatch(
    /^Machine 1 is kept, because 'test' failed on it: ssh -p \d+ root@\S+ \(the account's SSH keys are on it\)\. It costs 0\.00\d\d USD a minute, until 20\S+Z or until \/opt\/ghr\/done exists on it\.$/,
  );
  const [instance] = session.instances();
  const until = Date.parse(/until (20\S+Z)/.exec(kept)?.[1] ?? "");
  // The machine counts its own time, and main's limit is a minute later.
  expect(Number(instance && destruction(instance)?.at)).toBeGreaterThan(until - 90_000);

  await session.endClean();
});

test.concurrent("keep-failed and jobs-per-machine: no job comes to the machine that is kept; the next one has another", async () => {
  await using session = await startSession({
    with: { "keep-failed": "3m", "jobs-per-machine": "2" },
    jobs: [RENT_JOB, { ...gpuJob(["exit 3"]), name: "fails" }, { ...gpuJob(), name: "next" }],
    scenario: { offers: plainOffers(3) },
  });
  const main = await session.step.mainFails();
  const [kept = "", ...others] = shownWarnings(main.log).filter((line) => line.includes("is kept, because"));
  expect(kept, main.log).toMatch(/^Machine 1 is kept, because 'fails' failed on it: ssh /);
  expect(others).toEqual([]);
  expect(main.log).not.toMatch(/ lost:/);

  const [first, second] = session.instances();
  expect(session.instances()).toHaveLength(2);
  const [next] = session.run.jobs().filter(({ name }) => name === "next");
  expect(next?.conclusion).toBe("success");
  expect(next?.runnerName).toMatch(/-2$/);
  // It ran beside the machine that was kept, which bills until its look is over.
  const endOf = (instance = first) => Number(instance && destruction(instance)?.at);
  expect(endOf(first)).toBeGreaterThan(endOf(second));
  expect(endOf(first)).toBeGreaterThan(Date.parse(/until (20\S+Z)/.exec(kept)?.[1] ?? "") - 90_000);
  const [bill] = session.sim.service.books.bills();
  expect(bill?.total).toBeGreaterThan((3 / 60) * 0.3);

  const post = await session.endClean();
  expect(session.sim.github.runners(), post.log).toEqual([]);
});
