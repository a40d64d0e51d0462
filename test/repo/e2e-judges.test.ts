import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ROOT } from "./support/repository.ts";
import { COPIED, ourWorkflow } from "./support/workflows.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "e2e-"));
  mkdirSync(join(folder, "bin"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A command of this name that comes first on PATH. */
function standIn(name: string, bash: string): void {
  writeFileSync(join(folder, "bin", name), `#!/bin/bash\n${bash}\n`);
  chmodSync(join(folder, "bin", name), 0o755);
}

function run(program: string, args: string[], env: Record<string, string> = {}, input = "") {
  const all = { PATH: `${join(folder, "bin")}:${process.env.PATH}`, TMPDIR: folder, ...PLATFORM, ...env };
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: ROOT, encoding: "utf8", env: all, input });
  return { status, said: stdout + stderr };
}

const PLATFORM = {
  GITHUB_REPOSITORY: "octo/gpu-lib",
  GITHUB_RUN_ID: "4711",
  GITHUB_RUN_ATTEMPT: "1",
  GITHUB_REF_NAME: "main",
};
const e2e = (name: string) => join(ROOT, "test/e2e", name);

describe("verdict.sh", () => {
  beforeEach(() =>
    standIn("gh", `[[ $* == *runs/4711/attempts/1/jobs* ]] && printf 'success\\trent\\nfailure\\ttest (1)\\n'`),
  );

  test("is content with what was to be expected", () => {
    expect(run(e2e("verdict.sh"), [], {}, "success rent\nfailure test (1)\n").status).toBe(0);
  });

  test("names what came out otherwise, and what is not there", () => {
    const { status, said } = run(e2e("verdict.sh"), [], {}, "failure rent\nsuccess other\n");
    expect(status).toBe(1);
    expect(said).toContain("rent is success, and should be failure");
    expect(said).toContain("other is not there, and should be success");
  });
});

describe("no-secrets.sh", () => {
  /** A worker with this log, whose step looks for two names. */
  function look(log: string | undefined, worker = "Runner.Worker") {
    const runner = join(folder, "runner");
    mkdirSync(join(runner, "bin.2.336.0"), { recursive: true });
    mkdirSync(join(runner, "_diag"));
    const program = join(runner, "bin.2.336.0", worker);
    copyFileSync("/bin/bash", program);
    // An earlier job of this runner, whose secrets are no concern of this one.
    writeFileSync(join(runner, "_diag/Worker_20261123-080000-utc.log"), MESSAGE('"E2E_CANARY": {}'));
    if (log !== undefined) writeFileSync(join(runner, "_diag/Worker_20261123-090000-utc.log"), log);
    // Two commands, so that bash does not become the script.
    return run(program, ["-c", '"$@"; exit $?', "step", e2e("no-secrets.sh"), "E2E_CANARY", "RUNNER_TOKEN"]);
  }
  const MESSAGE = (secret: string) =>
    `[INFO Worker] Job message:\n {\n "variables": {\n "system.github.token": {\n "value": "***",\n "isSecret": true\n },\n ${secret}`;

  test("is content when the job's message has neither", () => {
    expect(look(MESSAGE('"github_token": {}'))).toMatchObject({ status: 0, said: expect.stringContaining("ok: none") });
  });

  test.each(["E2E_CANARY", "runner_token"])("fails when it has %s", (name) => {
    expect(look(MESSAGE(`"${name}": { "value": "***" }`))).toMatchObject({
      status: 1,
      said: expect.stringMatching(/^::error .*(E2E_CANARY|RUNNER_TOKEN) reached this job/),
    });
  });

  test("fails where it can't judge: a log of another form, or no worker above it", () => {
    expect(look("[INFO Worker] Nothing is traced here any more")).toMatchObject({
      status: 1,
      said: expect.stringContaining("no message of the job: nothing was judged"),
    });
    rmSync(join(folder, "runner"), { recursive: true });
    expect(look(MESSAGE(""), "bash")).toMatchObject({ status: 1, said: expect.stringContaining("is the worker") });
  });

  test("is run by a GPU job of e2e.yml, and by one of a called workflow that inherits, in addition to jobs that name the secret", () => {
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
});

describe("still-billing.sh", () => {
  const look = (list: unknown) => {
    // It reads its configuration to the end, as curl does: who writes it to nobody is killed.
    standIn("curl", `cat >'${folder}/configuration'; cat '${folder}/list'`);
    writeFileSync(join(folder, "list"), JSON.stringify(list));
    return run(e2e("still-billing.sh"), [], { API_KEY: "key", REPOSITORY_ID: "88" });
  };

  test("is content when nothing of this repository is there", () => {
    const instances = ["ghr1.880.1-1.x.1.9", null].map((label, id) => ({ id, label }));
    expect(look({ instances })).toEqual({ status: 0, said: "still billing: 0 instances\n" });
  });

  test("names what is left, and takes no answer for none", () => {
    expect(look({ instances: [{ id: 1, label: "ghr1.88.1-1.x.1.9" }] })).toMatchObject({
      status: 1,
      said: expect.stringContaining("1 ghr1.88.1-1"),
    });
    expect(look({ detail: "no" }).status).not.toBe(0);
  });

  test("reads a list of any length, which no argument shows", () => {
    const instances = Array.from({ length: 5 }, (_, id) => ({ id, label: "other", extra_env: "x".repeat(30_000) }));
    expect(look({ instances })).toMatchObject({ status: 0 });
  });
});

test("e2e.yml expects something of each of its jobs, and of no other", () => {
  const { jobs } = ourWorkflow("e2e");
  const expected = jobs.verdict?.steps?.at(-1)?.run?.matchAll(/^(?:success|failure|skipped) ([\w-]+)/gm) ?? [];
  const own = Object.keys(jobs).filter((name) => !["verdict", "drive", "lose", "jit", "chain-build"].includes(name));
  expect([...new Set(Array.from(expected, ([, name]) => name))].toSorted()).toEqual(own.toSorted());
  expect([jobs.verdict?.needs].flat().toSorted()).toEqual(own.toSorted());
});

test("e2e.yml has three jobs for two machines, one after the other for another, and every story of its scripts", () => {
  const { jobs } = ourWorkflow("e2e");
  const stories = (name: string) => jobs[name]?.strategy?.matrix as { what?: string[]; include?: { what: string }[] };
  expect(stories("drive").what).toEqual(["cancel", "force-cancel", "rerun-failed", "rerun-all", "fork-guard"]);
  expect(stories("lose").what).toEqual(["force-cancel", "dead-holder"]);
  expect(new Set(stories("jit").include?.map(({ what }) => what))).toEqual(new Set(["age", "idle"]));
  expect(stories("matrix")).toEqual({ part: [1, 2, 3] });
  expect(jobs["rent-matrix"]?.steps?.at(-1)?.with).toMatchObject({ machines: 2 });
  expect(jobs.held?.strategy).toMatchObject({ "max-parallel": 1 });
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
