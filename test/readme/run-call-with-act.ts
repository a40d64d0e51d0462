import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { startSimulator } from "../../simulator/start-simulator.ts";
import { ACTION } from "../support/built-action.ts";
import { conclude, copyAction, runByAct, withoutMasks } from "./act.ts";
import { callWorkflow } from "./readme-workflow.ts";

/**
 * Runs .github/workflows/gpu.yml with act, called twice in one run: as docs/reusable-workflow.md
 * does, its GPU job played by the simulated machine; and with a name, the repository's secrets, a
 * matrix of more jobs than machines, an awkward command, an artifact and a receipt that is
 * uploaded, its GPU jobs run by act, too, on this host. All of it is a second attempt, "Re-run
 * failed jobs": the first job gave the others its facts in the first attempt.
 */

const RUN_ID = 2027;
const ATTEMPT = 2;
/** Quotes, braces, a backslash, a failure at the end: harmful as a part of the script. */
const COMMAND = `mkdir -p out\necho 'it''s }} \\"' "\`echo $MATRIX_PYTHON\`" >"out/$MATRIX_PYTHON"\ntest "$MATRIX_PYTHON" != 3.12 || exit 7`;
/** The values of the matrix; two of its jobs share a machine, the third has one to itself. */
const PYTHONS = ["3.11", "3.12", "3.13"];
const SHARED = { machines: 2, "jobs-per-machine": 2 };
const PINNED = {
  "actions/upload-artifact": "upload-artifact",
  "actions/create-github-app-token": "create-github-app-token",
};

const folder = mkdtempSync(join(tmpdir(), "call-"));
const [repository, ours, standIns] = ["repository", "ours", "stand-ins"].map((name) => join(folder, name));
if (!repository || !ours || !standIns) throw new Error("No folders.");
process.exitCode = 1;
try {
  mkdirSync(repository);
  await using sim = await startSimulator({ factor: 10 });
  const label = (name = "") => `gpu-${RUN_ID}-${ATTEMPT}${name}`;
  const run = sim.github.addRun({
    repository: "octo/gpu-lib",
    runId: RUN_ID,
    attempt: ATTEMPT,
    jobs: [
      { name: "rent", labels: ["ubuntu-latest"], status: "in_progress" },
      { name: "gpu / test", labels: [label()], run: ["nvidia-smi", "echo 12 passed"] },
      ...PYTHONS.map((version) => ({
        name: `more / test (${version})`,
        labels: [label("-more")],
        run: [`echo ${version} passed`],
      })),
    ],
  });
  const { uses, workflow } = workflowWithBothCalls(sim.service.url);
  const called = layOutOurs(uses, ours);
  const { exitCode, log } = await runByAct({
    folder: repository,
    sim,
    runId: RUN_ID,
    files: { ".github/workflows/gpu.yml": workflow },
    repositories: { [uses.replace("/.github/workflows/gpu.yml", "")]: ours, ...standInsFor(called) },
    runners: [label("-more")],
    env: { STAND_INS: standIns, GITHUB_RUN_ATTEMPT: String(ATTEMPT) },
  });
  const uploads = (artifact: string, file: string) => {
    const path = join(standIns, "artifacts", artifact, "out", file);
    return existsSync(path) ? readFileSync(path, "utf8") : "";
  };
  const artifacts = readdirSync(join(standIns, "artifacts")).filter((name) => name.startsWith("gpu-receipt"));
  const receipts = artifacts.flatMap((name) => readdirSync(join(standIns, "artifacts", name)));
  const secrets = [sim.service.apiKey, sim.github.runnerToken];
  process.exitCode = conclude(
    [
      ["the failing GPU job of the matrix fails the run", exitCode !== 0 && /exit status 7/.test(log)],
      ["the GPU job of the page's call ran on the machine", run.job("gpu / test").log.includes("12 passed")],
      ...PYTHONS.flatMap((version, index): [string, boolean][] => [
        [
          `${version} of the named call ran on a rented machine`,
          run.job(`more / test (${version})`).log.includes(`${version} passed`),
        ],
        [
          `${version}: the command is run as it is written, and its artifact uploaded, after a failure, too`,
          uploads(`gpu-more-${index}-attempt-${ATTEMPT}`, version) === `its }} \\" ${version}\n`,
        ],
      ]),
      [
        "with receipt-artifact: true it is uploaded, without not",
        artifacts.join() === `gpu-receipt-more-attempt-${ATTEMPT}`,
      ],
      [
        "the artifact has the receipt and the events",
        receipts.length === 2 &&
          [/-[a-z0-9]+\.json$/, /-events\.jsonl$/].every((end) => receipts.some((name) => end.test(name))),
      ],
      ["both post steps gave back", log.split("Nothing is rented any more.").length === 3],
      ["no secret is in the log", !secrets.some((secret) => withoutMasks(log).includes(secret))],
      ["the matrix shared its machines", sim.service.instances().length === 1 + SHARED.machines],
      ["still billing: 0 instances", sim.service.books.billingNow().length === 0],
    ],
    log,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The page's call with the simulator's address, and a second one. */
function workflowWithBothCalls(apiUrl: string): { uses: string; workflow: string } {
  const workflow = parse(callWorkflow()) as { jobs: { gpu: { uses: string; with: object } } };
  const { gpu } = workflow.jobs;
  const first = { ...gpu, with: { ...gpu.with, "api-url": apiUrl } };
  const own = {
    name: "more",
    run: COMMAND,
    matrix: JSON.stringify({ python: PYTHONS }),
    artifacts: "out",
    "receipt-artifact": true,
    ...SHARED,
  };
  const secret = (name: string) => "$".concat(`{{ secrets.${name} }}`);
  const secrets = { "api-key": secret("RENTAL_API_KEY"), "runner-token": secret("RUNNER_TOKEN") };
  const more = { ...gpu, with: { ...first.with, ...own, environment: "" }, secrets };
  // JSON is YAML.
  return { uses: gpu.uses, workflow: JSON.stringify({ ...workflow, jobs: { gpu: first, more } }) };
}

/** gpu.yml and the action. act 0.2.89 lacks cache-mode, which goes, and `$/`, written out. */
function layOutOurs(uses: string, folder: string): string {
  const [, name = "", ref = ""] = /^(.+)\/\.github\/workflows\/gpu\.yml@(.+)$/.exec(uses) ?? [];
  const called = readFileSync(join(ACTION, ".github/workflows/gpu.yml"), "utf8")
    .replace(/^ +cache-mode: none.*\n/m, "")
    .replace(/uses: \$\/(\S*)$/gm, (_, path: string) => `uses: ${path ? `${name}/${path}` : name}@${ref}`);
  if (name === "" || /cache-mode:|\$\//.test(called.replace(/^ *#.*$/gm, "")))
    throw new Error("The call or gpu.yml has another shape now.");
  copyAction(folder);
  mkdirSync(join(folder, ".github/workflows"), { recursive: true });
  writeFileSync(join(folder, ".github/workflows/gpu.yml"), called);
  const planner = join(folder, "scripts/gpu-call/main.mjs");
  writeFileSync(planner, `process.env.GITHUB_RUN_ATTEMPT = "${ATTEMPT - 1}";\n${readFileSync(planner, "utf8")}`);
  return called;
}

/** Stand-ins for others' actions, which can't be fetched, by the commits that gpu.yml names. */
function standInsFor(workflow: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(PINNED).flatMap(([name, place]) => {
      const commits = Array.from(workflow.matchAll(new RegExp(`uses: ${name}(?:/\\w+)?@([0-9a-f]{40})`, "g")));
      if (commits.length === 0) throw new Error(`gpu.yml uses no ${name} any more.`);
      const path = fileURLToPath(new URL(`stand-ins/${place}`, import.meta.url));
      return commits.map(([, commit = ""]) => [`${name}@${commit}`, path]);
    }),
  );
}
