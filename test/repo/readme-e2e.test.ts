import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { readmeWorkflow } from "../readme/readme-workflow.ts";
import { ROOT, textOf } from "./support/repository.ts";

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
interface E2eJob {
  if?: string;
  "runs-on"?: string;
  strategy?: { matrix: unknown };
  steps?: { uses?: string; run?: string; with?: Record<string, unknown> }[];
}

const e2e = (name: string) => join(ROOT, "test/e2e", name);

const outputs = (text: string) =>
  Object.fromEntries(
    text
      .trim()
      .split("\n")
      .map((line) => line.split(/=(.*)/s).slice(0, 2)),
  ) as Record<string, string>;

function start(rented: string) {
  const [state, output] = [join(folder, "state"), join(folder, "output")];
  const env = { GITHUB_STATE: state, GITHUB_OUTPUT: output, RUNNER_TEMP: folder };
  for (const file of [state, output]) writeFileSync(file, "");
  expect(run(process.execPath, [e2e("simulated-service/main.mjs")], env)).toMatchObject({ status: 0 });
  const saved = Object.entries(outputs(readFileSync(state, "utf8"))).map(([name, value]) => [`STATE_${name}`, value]);
  const post = () =>
    run(process.execPath, [e2e("simulated-service/post.mjs")], {
      ...Object.fromEntries(saved),
      INPUT_RENTED: rented,
    });
  return { post, ...(outputs(readFileSync(output, "utf8")) as { url: string; "api-key": string }) };
}

describe("the step with the simulated service", () => {
  async function rent({ url, "api-key": key }: ReturnType<typeof start>) {
    const body = JSON.stringify({ image: "debian:13", disk: 10, label: "e2e" });
    const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
    const answer = await fetch(`${url}/api/v0/asks/12/`, { method: "PUT", headers, body });
    const { new_contract: id } = (await answer.json()) as { new_contract: number };
    return () => fetch(`${url}/api/v0/instances/${id}/`, { method: "DELETE", headers });
  }

  test("is content when nothing was rented, and none was to be", () => {
    expect(start("0").post()).toMatchObject({
      status: 0,
      said: expect.stringContaining("still billing: 0 instances; rented: 0"),
    });
  });

  test("fails when something still bills", async () => {
    const service = start("1");
    await rent(service);
    expect(service.post()).toMatchObject({ status: 1, said: expect.stringContaining("still billing: 1 instances") });
  });

  test("fails when another number was rented than expected, and takes a range", async () => {
    const service = start("0");
    await (await rent(service))();
    expect(service.post()).toMatchObject({
      status: 1,
      said: expect.stringContaining("1 machines were rented; 0 were to be"),
    });
    const other = start("1-2");
    await (await rent(other))();
    expect(other.post()).toMatchObject({ status: 0 });
  });
});

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

describe("drive.sh", () => {
  /** A gh whose run ends as given; each call is written down. */
  function gh({ conclusion = "cancelled", second = "success", post = true } = {}): void {
    standIn(
      "gh",
      `echo "$*" >>'${folder}/calls'
      again=$(grep -c '^run rerun' '${folder}/calls')
      case $* in
        *display_title*'.id'*) echo 99 ;;
        *display_title*) echo yes ;;
        *'.status'*jobs*|*jobs*'.status'*) echo in_progress ;;
        *jobs*'.id'*) echo 5 ;;
        *logs*) ${post ? "echo 'still billing: 0 instances; rented: 1'" : "echo nothing"} ;;
        *.run_attempt*) echo $((again + 1)) ;;
        *.conclusion*) if ((again)); then echo ${second}; else echo ${conclusion}; fi ;;
        *.status*) echo completed ;;
      esac`,
    );
  }
  const drive = (what: string) => run(e2e("drive.sh"), [what], { SECONDS_BETWEEN_LOOKS: "0", LOOKS: "2" });
  const calls = () => readFileSync(join(folder, "calls"), "utf8");

  test("cancels a run under way, and wants its post step to have given back", () => {
    gh();
    expect(drive("cancel")).toMatchObject({ status: 0, said: expect.stringContaining("ok: cancel") });
    expect(calls()).toMatch(/workflow run e2e-target.yml .*mode=long[\s\S]*run cancel 99/);
    gh({ post: false });
    expect(drive("cancel")).toMatchObject({ status: 1, said: expect.stringContaining("does not say") });
    gh({ conclusion: "success" });
    expect(drive("cancel")).toMatchObject({ status: 1, said: expect.stringContaining("the run is success") });
  });

  test("force-cancels one, and wants no post step", () => {
    gh({ post: false });
    expect(drive("force-cancel").status).toBe(0);
    expect(calls()).toContain("--method POST repos/octo/gpu-lib/actions/runs/99/force-cancel");
    gh();
    expect(drive("force-cancel")).toMatchObject({
      status: 1,
      said: expect.stringContaining("the log of rent says: still billing"),
    });
  });

  test.each([
    ["rerun-failed", /run rerun 99 --failed/],
    ["rerun-all", /run rerun 99 --repo/],
  ])("%s: a failed run, and its second attempt is green", (what, call) => {
    gh({ conclusion: "failure" });
    expect(drive(what).status).toBe(0);
    expect(calls()).toMatch(call);
    rmSync(join(folder, "calls"));
    gh({ conclusion: "failure", second: "failure" });
    expect(drive(what)).toMatchObject({ status: 1, said: expect.stringContaining("the second attempt is failure") });
  });

  test("a re-run whose first attempt says nothing of what bills is no success", () => {
    gh({ conclusion: "failure", post: false });
    expect(drive("rerun-all")).toMatchObject({ status: 1, said: expect.stringContaining("does not say") });
  });

  test("fork-guard: wants the last pull request from a fork to have rented nothing", () => {
    const fork = (runs: string, guarded: string) =>
      standIn(
        "gh",
        `case $* in
          *e2e-fork.yml*) echo '${runs}' ;;
          *runs/99/jobs*guarded*) echo ${guarded} ;;
          *runs/99*.conclusion*) echo success ;;
        esac`,
      );
    fork("99", "skipped");
    expect(drive("fork-guard")).toMatchObject({ status: 0, said: expect.stringContaining("still billing: 0") });
    fork("99", "success");
    expect(drive("fork-guard")).toMatchObject({ status: 1, said: expect.stringContaining("guarded is success") });
    fork("", "skipped");
    expect(drive("fork-guard")).toMatchObject({ status: 1, said: expect.stringContaining("open one from any fork") });
  });

  test("ends when a run never comes", () => {
    standIn("gh", "echo no");
    expect(drive("cancel")).toMatchObject({ status: 1, said: expect.stringContaining("waited for yes, and it is no") });
  });
});

/** A runner program to be downloaded, and a gh that registers it as number 7. */
function runnerProgram(bash: string, more = ""): void {
  mkdirSync(join(folder, "program"));
  writeFileSync(join(folder, "program/run.sh"), `#!/bin/bash\n${bash}\n`);
  chmodSync(join(folder, "program/run.sh"), 0o755);
  run("tar", ["-czf", join(folder, "runner.tar.gz"), "-C", join(folder, "program"), "run.sh"]);
  const sum = run("sha256sum", [join(folder, "runner.tar.gz")]).said.split(" ")[0];
  standIn(
    "curl",
    `[[ ! -e '${folder}/deaf' ]] || exit 7\n[[ $* == *runner.tar.gz* ]] || exec /usr/bin/curl "$@"\ncp '${folder}/runner.tar.gz' "$3"`,
  );
  standIn(
    "gh",
    `echo "$*" >>'${folder}/calls'
    case $* in
      *downloads*) echo "https://example.com/runner.tar.gz ${sum}" ;;
      *generate-jitconfig*) echo "7 secret" ;;
      ${more}
    esac`,
  );
}

describe("lose.sh", () => {
  /** The listener rents in place of the action; a process of its job leaves its group. */
  function world({ post = false } = {}) {
    const service = start("2");
    const call = `/usr/bin/curl -fsS -H 'Authorization: Bearer ${service["api-key"]}' -H 'Content-Type: application/json'`;
    const create = `-X PUT -d '{"image": "debian:13", "disk": 10, "label": "of the run"}' ${service.url}/api/v0/asks/13/`;
    const destroy = `${call} -X DELETE ${service.url}/api/v0/instances/$(cat '${folder}/id')/ >/dev/null`;
    runnerProgram(
      `if [[ \${1:-} == stray ]]; then exec -a "$0 stray" tail -f /dev/null; fi
      setsid "$0" stray &
      echo $$ $! >'${folder}/pid'
      echo "\${RUNNER_TOKEN:-none}" >'${folder}/seen'
      ${call} ${create} | sed 's/.*"new_contract": *\\([0-9]*\\).*/\\1/' >'${folder}/id'
      exec tail -f /dev/null`,
      `*display_title*'.id'*) echo 99 ;;
      *display_title*) echo yes ;;
      *runs/99/jobs*rent*.status*) echo completed ;;
      *runs/99/jobs*.status*) if [[ -s '${folder}/id' ]]; then echo in_progress; else echo queued; fi ;;
      *runs/99/jobs*.id*) echo 5 ;;
      *jobs/5/logs*) echo '${post ? "Nothing is rented any more." : "Renting."}' ;;
      *runs/99*.status*)
        if kill -0 $(cat '${folder}/pid') 2>/dev/null; then echo in_progress; else echo completed; ${destroy}; fi ;;
      *runs/99*.conclusion*)
        [[ ! -e '${folder}/goes-deaf' ]] || mv '${folder}/goes-deaf' '${folder}/deaf'
        if grep -q force-cancel '${folder}/calls'; then echo cancelled; else echo failure; fi ;;`,
    );
    const env = { GH_TOKEN: "job", RUNNER_TOKEN: "admin", HOME: folder, GITHUB_REPOSITORY_ID: "88" };
    const looks = { SECONDS_BETWEEN_LOOKS: "0.05", LOOKS: "200" };
    const lose = (what: string) =>
      run(e2e("lose.sh"), [what], {
        ...{ ...env, ...looks },
        SERVICE_URL: service.url,
        SERVICE_KEY: service["api-key"],
      });
    return { ...service, lose };
  }

  test.each(["force-cancel", "dead-holder"])(
    "%s: the holder dies, the machine ends itself, and one is left for the sweep",
    async (what) => {
      const { lose, url, post } = world();
      const { status, said } = lose(what);
      expect(said).toMatch(/GitHub gave the job that rents up \d+ s after/);
      expect(said).toContain("still billing: 0 instances: the machine gave itself back");
      expect(status).toBe(0);
      const calls = readFileSync(join(folder, "calls"), "utf8");
      expect(calls).toMatch(new RegExp(`workflow run e2e-target.yml .*holder=e2e-${what}-4711-1 .*service-url=${url}`));
      expect(calls.includes("actions/runs/99/force-cancel")).toBe(what === "force-cancel");
      expect(calls).toContain("--method DELETE repos/octo/gpu-lib/actions/runners/7");
      expect(readFileSync(join(folder, "seen"), "utf8")).toBe("none\n");
      const left = (await (await fetch(`${url}/_control/instances`)).json()) as {
        label: string;
        destroyed?: unknown;
      }[];
      expect(left.map(({ label }) => label)).toContainEqual(expect.stringMatching(/^ghr1\.88\.99-1\.e2e000\.1\.\d+$/));
      expect(post()).toMatchObject({
        status: 1,
        said: expect.stringContaining("still billing: 1 instances; rented: 2"),
      });
    },
  );

  test("says so when a post step ran after all", () => {
    const ran = world({ post: true });
    expect(ran.lose("dead-holder")).toMatchObject({ status: 1, said: expect.stringContaining("the log of rent says") });
    ran.post();
  });

  test("takes no silence of the service for nothing that bills", () => {
    const { lose, post } = world();
    writeFileSync(join(folder, "goes-deaf"), "");
    expect(lose("dead-holder")).toMatchObject({ status: 7, said: expect.not.stringContaining("still billing: 0") });
    post();
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
    const e2eText = textOf(".github/workflows/e2e.yml");
    for (const text of [e2eText, textOf(".github/workflows/e2e-inherit.yml")]) {
      const jobs = Object.values((parse(text) as { jobs: Record<string, E2eJob> }).jobs);
      const judged = jobs.filter(({ steps = [] }) => steps.some((step) => step.run?.includes("no-secrets.sh")));
      expect(judged.map((job) => job["runs-on"])).toEqual([expect.stringMatching(/^gpu-/)]);
      expect(JSON.stringify(judged)).not.toContain("{{ secrets.");
      expect(JSON.stringify(jobs.filter((job) => !judged.includes(job)))).toContain("secrets.E2E_CANARY");
    }
    const { inherit } = (parse(e2eText) as { jobs: Record<string, { uses?: string; secrets?: string }> }).jobs;
    expect(inherit).toMatchObject({ uses: "./.github/workflows/e2e-inherit.yml", secrets: "inherit" });
  });
});

describe("jit.sh", () => {
  const jit = (what: string, minutes: string) => run(e2e("jit.sh"), [what, minutes]);

  beforeEach(() => {
    standIn("sleep", `echo "$1" >>'${folder}/slept'`);
    runnerProgram("exec tail -f /dev/null", `*--jq*.status*) echo "$(cat '${folder}/state')" ;;`);
    writeFileSync(join(folder, "state"), "online");
  });

  test("age: waits, then uses the configuration, and removes its runner", () => {
    expect(jit("age", "15")).toMatchObject({ status: 0, said: expect.stringContaining("of 15 min was used") });
    expect(readFileSync(join(folder, "slept"), "utf8")).toMatch(/^900\n/);
    expect(readFileSync(join(folder, "calls"), "utf8")).toContain(
      "--method DELETE repos/octo/gpu-lib/actions/runners/7",
    );
  });

  test("age: says that a configuration was too old", () => {
    writeFileSync(join(folder, "state"), "offline");
    expect(jit("age", "60")).toMatchObject({ status: 1, said: expect.stringContaining("of 60 min could not be used") });
  });

  test("idle: looks twice a minute", () => {
    expect(jit("idle", "2")).toMatchObject({ status: 0, said: expect.stringContaining("online for 2 min") });
    expect(readFileSync(join(folder, "slept"), "utf8")).toBe("30\n".repeat(4));
  });

  test("a program whose sum is another is not run", () => {
    writeFileSync(join(folder, "runner.tar.gz"), "other");
    expect(jit("idle", "2").status).not.toBe(0);
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
    expect(
      look({
        instances: [
          { id: 1, label: "ghr1.880.1-1.x.1.9" },
          { id: 2, label: null },
        ],
      }),
    ).toEqual({
      status: 0,
      said: "still billing: 0 instances\n",
    });
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
  const { jobs } = parse(textOf(".github/workflows/e2e.yml")) as {
    jobs: Record<string, { needs?: string[]; steps: { run?: string }[] }>;
  };
  const { verdict } = jobs;
  const expected = Array.from(
    verdict?.steps?.at(-1)?.run?.matchAll(/^(?:success|failure|skipped) ([\w-]+)/gm) ?? [],
    ([, name]) => name,
  );
  const own = Object.keys(jobs).filter((name) => !["verdict", "drive", "lose", "jit", "chain-build"].includes(name));
  expect([...new Set(expected)].toSorted()).toEqual(own.toSorted());
  expect(verdict?.needs?.toSorted()).toEqual(own.toSorted());
});

test("e2e.yml has every story, and each job that rents is asked what still bills", () => {
  const { jobs } = parse(textOf(".github/workflows/e2e.yml")) as { jobs: Record<string, E2eJob> };
  const stories = (name: string) =>
    jobs[name]?.strategy?.matrix as { what: string[]; include: Record<string, unknown>[] };
  expect(stories("drive").what).toEqual(["cancel", "force-cancel", "rerun-failed", "rerun-all", "fork-guard"]);
  expect(stories("lose").what).toEqual(["force-cancel", "dead-holder"]);
  expect(stories("jit").include.map(({ what, minutes }) => `${what} ${minutes}`)).toEqual([
    "age 5",
    "age 15",
    "age 30",
    "age 60",
    "idle 2",
    "idle 6",
    "idle 30",
  ]);
  expect(jobs.matrix?.strategy?.matrix).toEqual({ part: [1, 2, 3] });
  expect(jobs["rent-matrix"]?.steps?.at(-1)?.with).toMatchObject({ machines: 2 });
  expect(jobs.held?.strategy).toMatchObject({ "max-parallel": 1 });
  const target = parse(textOf(".github/workflows/e2e-target.yml")) as { jobs: Record<string, E2eJob> };
  const rents = [...Object.values(jobs), ...Object.values(target.jobs)]
    .map(({ steps = [] }) => ({ steps }))
    .filter(({ steps }) => steps.some(({ uses }) => uses === "./" || uses === "./sweep"));
  expect(rents.length).toBeGreaterThan(8);
  for (const { steps } of rents) expect(steps.map(({ uses }) => uses)).toContainEqual("./test/e2e/simulated-service");
  expect(target.jobs.test?.["runs-on"]).toContain("github.run_attempt");
});

test("e2e-fork.yml guards by the README's own condition, and looks at the base's verdict", () => {
  const { jobs } = parse(textOf(".github/workflows/e2e-fork.yml")) as { jobs: Record<string, E2eJob> };
  const readme = parse(readmeWorkflow()) as { jobs: Record<string, E2eJob> };
  expect(jobs.guarded?.if).toBe(readme.jobs.rent?.if);
  expect(readme.jobs.test?.if).toBe(readme.jobs.rent?.if);
  expect(jobs.verdict?.steps?.[0]?.with).toMatchObject({
    ref: expect.stringContaining(" github.event.pull_request.base.sha "),
  });
  expect(jobs.verdict?.steps?.at(-1)?.run).toContain("skipped guarded");
});
