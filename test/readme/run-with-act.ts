import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { type Simulator, type SimulatorOptions, startSimulator } from "../../simulator/start-simulator.ts";
import { filesIn } from "../repo/support/repository.ts";
import { ACTION } from "../support/built-action.ts";
import { copyAction, runByAct, withoutMasks } from "./act.ts";
import { actionReference, firstRunWorkflow, forAct, readmeWorkflow, workflowsIn } from "./readme-workflow.ts";

/**
 * Runs workflows with act, a runner that others wrote, on this host against the simulator. So defaults, outputs, state and post are
 * not our own reading of the platform. GPU jobs run on the simulated machine. Usage: run-with-act.ts readme|first-run|recipes|e2e
 */

const RUN_ID = 2026;
const IN = { repository: "octo/gpu-lib" };
const hosted = (name: string, status: "completed" | "in_progress" = "in_progress") => {
  return { name, labels: ["ubuntu-latest"], status };
};

/** What must be true of a run, and its log. */
type Outcome = { log: string; checks: (readonly [what: string, isGood: boolean])[] };

/** A world, and what act does in it. The folder is empty, and `ours` holds the action. */
interface Play {
  world: SimulatorOptions;
  run(sim: Simulator, folder: string, ours: string): Promise<Outcome>;
}

/** The rent job of the README's own workflow, with nothing changed. */
const readme: Play = {
  world: { factor: 10 },
  async run(sim, folder, ours) {
    const lines = ["nvidia-smi", "sleep 30", "echo 12 passed"];
    const jobs = [hosted("rent"), { name: "test", labels: [`gpu-${RUN_ID}-1`], run: lines }];
    const run = sim.github.addRun({ ...IN, runId: RUN_ID, jobs });
    const { exitCode, log } = await runByAct({
      ...{ folder, sim, runId: RUN_ID, job: "rent", repositories: { [actionReference()]: ours } },
      files: { ".github/workflows/gpu.yml": forAct(readmeWorkflow(), sim.service.url) },
    });
    const test = run.job("test");
    const secrets = [sim.service.apiKey, sim.github.runnerToken];
    return {
      log,
      checks: [
        ["act ends with success", exitCode === 0],
        ["the GPU job ran on the machine", test.conclusion === "success" && test.log.includes("12 passed")],
        ["main saw it end", log.includes("The GPU job is over.")],
        ["post got the state and confirmed", log.includes("Nothing is rented any more.")],
        ["no secret is in the log", !secrets.some((secret) => withoutMasks(log).includes(secret))],
        ["exactly one machine was rented", sim.service.instances().length === 1],
        ["still billing: 0 instances", sim.service.books.billingNow().length === 0],
      ],
    };
  },
};

/** The checks and both sweeps of docs/first-run.md; each sweep finds one machine that a run left, and one that it may not touch. */
const firstRun: Play = {
  world: { factor: 10, machines: false },
  async run(sim, folder, ours) {
    sim.github.addRun({ ...IN, runId: RUN_ID, jobs: [hosted("check")] });
    sim.github.addRun({ ...IN, runId: 77, secondsAgo: 300, jobs: [hosted("rent", "completed")] });
    sim.github.addRun({ ...IN, runId: 78, jobs: [hosted("rent")] });
    const expiry = () => Math.floor(sim.clock.now() / 1000) + 3600;
    const id = sim.github.repositoryId(IN.repository);
    const leftBy = (run: number) => sim.service.leaveBehind(`ghr1.${id}.${run}-1.abc${run}a.1.${expiry()}`);
    const standIn = fileURLToPath(new URL("stand-ins/create-github-app-token", import.meta.url));
    const [, appToken = ""] =
      /uses: (actions\/create-github-app-token@\w+)/.exec(firstRunWorkflow("gpu-check-app.yml")) ?? [];
    const sweep = actionReference().replace("@", "/sweep@");
    const run = (file: string, event: string) =>
      runByAct({
        ...{ folder: join(folder, file), sim, event, runId: RUN_ID, env: { STAND_IN_TOKEN: sim.github.runnerToken } },
        files: { [`.github/workflows/${file}`]: forAct(firstRunWorkflow(file), sim.service.url) },
        repositories: { [actionReference()]: ours, [sweep]: ours, [appToken]: standIn },
      });
    const check = await run("gpu-check.yml", "workflow_dispatch");
    const byApp = await run("gpu-check-app.yml", "workflow_dispatch");
    const checks: Outcome["checks"] = [
      ["the check is green and shows offers", check.exitCode === 0 && check.log.includes("RTX 4090")],
      ["so it is with a GitHub App's token", byApp.exitCode === 0 && byApp.log.includes("RTX 4090")],
      ["the checks rented nothing", sim.service.instances().length === 0],
    ];
    leftBy(78);
    let log = check.log + byApp.log;
    for (const [file, event] of [
      ["gpu-sweep.yml", "workflow_run"],
      ["gpu-sweep-scheduled.yml", "schedule"],
    ] as const) {
      leftBy(77);
      const swept = await run(file, event);
      log += swept.log;
      checks.push([`${file} is green`, swept.exitCode === 0]);
      const isOne = sim.service.books.billingNow().length === 1;
      checks.push([`${file} ends what the run that is over left, and nothing else`, isOne]);
    }
    return { log, checks };
  },
};

/** Recipes with a volume or runners of an organisation, which the simulated account and token lack: their check says so. */
const NOT_IN_THE_ACCOUNT: ReadonlySet<string> = new Set(["gpu-volume", "gpu-org"]);

/**
 * The renting step of every recipe, and of the pages beside them, in one run, as it stands but with `check: true`: it rents nothing,
 * and says whether its inputs are good together. Things that the simulator's market or account lacks are warnings.
 */
const recipes: Play = {
  world: { factor: 10, machines: false },
  async run(sim, folder, ours) {
    const jobs = stepsThatRent(sim.service.url);
    const names = Object.keys(jobs);
    sim.github.addRun({ ...IN, runId: RUN_ID, jobs: names.map((name) => hosted(name)) });
    const { exitCode, log } = await runByAct({
      ...{ folder, sim, runId: RUN_ID, repositories: { [actionReference()]: ours } },
      files: { ".github/workflows/recipes.yml": JSON.stringify({ name: "recipes", on: "push", jobs }) },
    });
    const isGreen = (name: string) => new RegExp(`^\\[recipes/${name} *\\].*Success - Main `, "m").test(log);
    const expected = names.filter((name) => !NOT_IN_THE_ACCOUNT.has(name));
    return {
      log,
      checks: [
        [`there are recipes: ${names.length}`, names.length >= 8],
        ["what only a real account has fails the check, and nothing else does", exitCode !== 0],
        ...expected.map((name) => [`${name}: the check is green`, isGreen(name)] as const),
        ["no input is wrong anywhere", !log.includes("InputError")],
        ["nothing was rented", sim.service.instances().length === 0],
      ],
    };
  },
};

type Step = { uses?: string; with?: Record<string, unknown> };

/** A job for each step that rents, by the recipe's file: that step alone, as a check. */
function stepsThatRent(apiUrl: string): Record<string, object> {
  const pages = filesIn("docs", ".md").filter((page) => page !== "docs/first-run.md");
  const workflows = pages.flatMap((page) => [...workflowsIn(page)]);
  return Object.fromEntries(
    workflows.flatMap(([path, yaml]) => {
      const { jobs } = parse(yaml) as { jobs: Record<string, { steps?: Step[] }> };
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

/**
 * The first job of .github/workflows/e2e.yml: the simulated service as a step, the action, and both post steps in their order. Only
 * GitHub is a stand-in here, and what `npm ci` would bring is linked.
 */
const e2e: Play = {
  world: { machines: false },
  async run(sim, folder) {
    copyAction(folder);
    for (const path of ["simulator", "test/e2e", "onstart", "package.json"])
      cpSync(join(ACTION, path), join(folder, path), { recursive: true });
    const lines = ["nvidia-smi -L", "echo a GPU job"];
    const jobs = [hosted("rent-happy"), { name: "happy", labels: [`gpu-${RUN_ID}-1-happy`], run: lines }];
    const run = sim.github.addRun({ ...IN, runId: RUN_ID, jobs });
    const workflow = readFileSync(join(ACTION, ".github/workflows/e2e.yml"), "utf8")
      .replace(/^ +cache-mode: none.*\n/gm, "")
      .replace(/^ +- uses: actions\/setup-node.*\n.*\n/gm, "")
      .replaceAll("- run: npm ci", `- run: ln -s '${join(ACTION, "node_modules")}' node_modules`);
    const { exitCode, log } = await runByAct({
      ...{ folder, sim, runId: RUN_ID, event: "workflow_dispatch", job: "rent-happy", repositories: {} },
      files: { ".github/workflows/e2e.yml": workflow },
    });
    const gaveBack = log.indexOf("Nothing is rented any more.");
    return {
      log,
      checks: [
        ["the job is green", exitCode === 0],
        ["the GPU job ran on the machine", run.job("happy").log.includes("a GPU job")],
        ["the action gave back", gaveBack >= 0],
        ["the simulated service has the last word", log.indexOf("still billing: 0 instances; rented: 1") > gaveBack],
      ],
    };
  },
};

const PLAYS: Readonly<Record<string, Play>> = { readme, "first-run": firstRun, recipes, e2e };

const play = PLAYS[process.argv[2] ?? ""];
if (play === undefined) throw new Error(`Usage: run-with-act.ts ${Object.keys(PLAYS).join("|")}`);
const place = mkdtempSync(join(tmpdir(), "by-act-"));
process.exitCode = 1;
try {
  copyAction(join(place, "ours"));
  await using sim = await startSimulator(play.world);
  const { checks, log } = await play.run(sim, join(place, "repository"), join(place, "ours"));
  for (const [what, isGood] of checks) console.log(`${isGood ? "ok" : "NOT OK"}: ${what}`);
  if (checks.every(([, isGood]) => isGood)) process.exitCode = 0;
  else console.log(log);
} finally {
  rmSync(place, { recursive: true, force: true });
}
