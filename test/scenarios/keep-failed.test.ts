import { expect } from "vitest";
import { destruction } from "../../simulator/service/rentals/instance-record.ts";
import { plainOffers } from "../support/gpu-matrix.ts";
import { test } from "../support/scenario.ts";
import { shownWarnings } from "../support/shown-error.ts";
import { gpuJob, RENT_JOB } from "../support/simulated-session.ts";

test("keep-failed: the machine of a job that failed stays for a look, and no job comes to it; the next one has another", async ({
  start,
}) => {
  const session = await start({
    with: { "keep-failed": "3m", "jobs-per-machine": "2", "fail-with-job": "false" },
    jobs: [RENT_JOB, { ...gpuJob(["exit 3"]), name: "fails" }, { ...gpuJob(), name: "next" }],
    scenario: { offers: plainOffers(3) },
  });

  const main = await session.step.mainSucceeds();
  expect(main.log).toContain("1 did not succeed. With fail-with-job: false this job goes on.");
  const [kept = "", ...others] = shownWarnings(main.log).filter((line) => line.includes("is kept, because"));
  expect(kept, main.log).toMatch(
    /^Machine 1 is kept, because 'fails' failed on it: ssh -p \d+ root@\S+ \(the account's SSH keys are on it\)\. It costs 0\.00\d\d USD a minute, until 20\S+Z or until \/opt\/ghr\/done exists on it\.$/,
  );
  expect(others).toEqual([]);
  expect(main.log).not.toMatch(/ lost:/);

  const [first, second] = session.instances();
  expect(session.instances()).toHaveLength(2);
  const [next] = session.run.jobs().filter(({ name }) => name === "next");
  expect(next?.conclusion).toBe("success");
  expect(next?.runnerName).toMatch(/-2$/);
  // It ran beside the machine that was kept, which bills until its look is over, by its own clock.
  const endOf = (instance = first) => Number(instance && destruction(instance)?.at);
  expect(endOf(first)).toBeGreaterThan(endOf(second));
  expect(endOf(first)).toBeGreaterThan(Date.parse(/until (20\S+Z)/.exec(kept)?.[1] ?? "") - 90_000);
  const [bill] = session.sim.service.books.bills();
  expect(bill?.total).toBeGreaterThan((3 / 60) * 0.3);
});
