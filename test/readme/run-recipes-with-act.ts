import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parse } from "yaml";
import { startSimulator } from "../../simulator/start-simulator.ts";
import { filesIn } from "../repo/support/repository.ts";
import { conclude, copyAction, runByAct } from "./act.ts";
import { actionReference, workflowsIn } from "./readme-workflow.ts";

/**
 * Runs the renting step of every recipe, and of the pages beside them, with act, in one run, as it stands but with `check: true`:
 * it rents nothing, and says whether its inputs are good together. Things that the simulator's
 * market or account lacks are warnings.
 */

interface Job {
  steps?: { uses?: string; with?: Record<string, unknown> }[];
}

const RUN_ID = 2029;
/** Recipes with a volume or runners of an organisation, which the simulated account and token lack: their check says so. */
const NOT_IN_THE_ACCOUNT: ReadonlySet<string> = new Set(["gpu-volume", "gpu-org"]);
const folder = mkdtempSync(join(tmpdir(), "recipes-"));
const [repository, ours] = [join(folder, "repository"), join(folder, "ours")];
process.exitCode = 1;
try {
  mkdirSync(repository);
  copyAction(ours);
  await using sim = await startSimulator({ factor: 10, machines: false });
  const jobs = stepsThatRent(sim.service.url);
  const names = Object.keys(jobs);
  sim.github.addRun({
    repository: "octo/gpu-lib",
    runId: RUN_ID,
    jobs: names.map((name) => ({ name, labels: ["ubuntu-latest"], status: "in_progress" as const })),
  });
  const { exitCode, log } = await runByAct({
    ...{ folder: repository, sim, runId: RUN_ID },
    files: { ".github/workflows/recipes.yml": JSON.stringify({ name: "recipes", on: "push", jobs }) },
    repositories: { [actionReference()]: ours },
  });
  const checked = names.filter((name) => new RegExp(`^\\[recipes/${name} *\\].*Success - Main `, "m").test(log));
  const expected = names.filter((name) => !NOT_IN_THE_ACCOUNT.has(name));
  process.exitCode = conclude(
    [
      [`there are recipes: ${names.length}`, names.length >= 8],
      ["what only a real account has fails the check, and nothing else does", exitCode !== 0],
      ...expected.map((name) => [`${name}: the check is green`, checked.includes(name)] as const),
      ["no input is wrong anywhere", !log.includes("InputError")],
      ["nothing was rented", sim.service.instances().length === 0],
    ],
    log,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** A job for each step that rents, by the recipe's file: that step alone, as a check. */
function stepsThatRent(apiUrl: string): Record<string, object> {
  const pages = filesIn("docs", ".md").filter((page) => page !== "docs/first-run.md");
  const workflows = pages.flatMap((page) => [...workflowsIn(page)]);
  return Object.fromEntries(
    workflows.flatMap(([path, yaml]) => {
      const { jobs } = parse(yaml) as { jobs: Record<string, Job> };
      const steps = Object.values(jobs)
        .flatMap(({ steps: all = [] }) => all)
        .filter(({ uses }) => uses === actionReference());
      return steps.map((step, index) => {
        const inputs = { ...step.with, "api-url": apiUrl, check: true, "github-token": `\${{ secrets.RUNNER_TOKEN }}` };
        const job = { "runs-on": "ubuntu-latest", steps: [{ ...step, with: inputs }] };
        return [`${basename(path, ".yml")}${index === 0 ? "" : `-${index + 1}`}`, job];
      });
    }),
  );
}
