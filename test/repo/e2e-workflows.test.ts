import { expect, test } from "vitest";
import { COPIED, ourWorkflow } from "./support/workflows.ts";

test("e2e.yml expects something of each of its jobs, and of no other", () => {
  const { jobs } = ourWorkflow("e2e");
  const expected = jobs.verdict?.steps?.at(-1)?.run?.matchAll(/^(?:success|failure|skipped) ([\w-]+)/gm) ?? [];
  const own = Object.keys(jobs).filter((name) => !["verdict", "drive", "lose", "jit", "chain-build"].includes(name));
  expect([...new Set(Array.from(expected, ([, name]) => name))].toSorted()).toEqual(own.toSorted());
  expect([jobs.verdict?.needs].flat().toSorted()).toEqual(own.toSorted());
});

test("a GPU job of e2e.yml, and one of a called workflow that inherits, looks for secrets beside jobs that name one", () => {
  for (const file of ["e2e", "e2e-inherit"]) {
    const jobs = Object.values(ourWorkflow(file).jobs);
    const judged = jobs.filter(({ steps = [] }) => steps.some((step) => step.run?.includes("no-secrets.sh")));
    expect(judged.map((job) => job["runs-on"])).toEqual([expect.stringMatching(/^gpu-/)]);
    expect(JSON.stringify(judged)).not.toContain("{{ secrets.");
    expect(JSON.stringify(jobs.filter((job) => !judged.includes(job)))).toContain("secrets.E2E_CANARY");
  }
  const called = { uses: "./.github/workflows/e2e-inherit.yml", secrets: "inherit" };
  expect(ourWorkflow("e2e").jobs.inherit).toMatchObject(called);
});

test("each job of e2e that rents is asked what still bills", () => {
  const jobs = ["e2e", "e2e-target"].flatMap((file) => Object.values(ourWorkflow(file).jobs));
  const uses = jobs.map(({ steps = [] }) => steps.map((step) => step.uses));
  const renting = uses.filter((each) => each.includes("./") || each.includes("./sweep"));
  expect(renting.length).toBeGreaterThan(8);
  for (const each of renting) expect(each).toContainEqual("./test/e2e/simulated-service");
});

test("e2e-fork.yml guards by the README's own condition, and looks at the base's verdict", () => {
  const { guarded, verdict } = ourWorkflow("e2e-fork").jobs;
  const { rent, test: gpu } = COPIED.find(({ name }) => name.startsWith("README.md"))?.jobs ?? {};
  expect(rent?.if).toBeDefined();
  expect([guarded?.if, gpu?.if]).toEqual([rent?.if, rent?.if]);
  expect(verdict?.steps?.[0]?.with?.ref).toContain(" github.event.pull_request.base.sha ");
  expect(verdict?.steps?.at(-1)?.run).toContain("skipped guarded");
});
