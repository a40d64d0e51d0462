import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
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
const e2e = (name: string) => join(ROOT, "test/e2e", name);

describe("the step with the simulated service", () => {
  const outputs = (text: string) =>
    Object.fromEntries(
      text
        .trim()
        .split("\n")
        .map((line) => line.split(/=(.*)/s).slice(0, 2)),
    ) as Record<string, string>;

  function start(rented: string) {
    const [state, output] = [join(folder, "state"), join(folder, "output")];
    const env = { GITHUB_STATE: state, GITHUB_OUTPUT: output, RUNNER_TEMP: folder, INPUT_SCENARIO: "{}" };
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
  /** A gh whose run ends as told; each call is written down. */
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
    expect(drive("force-cancel")).toMatchObject({ status: 1, said: expect.stringContaining("a post step ran") });
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

  test("gives up when a run never comes", () => {
    standIn("gh", "echo no");
    expect(drive("cancel")).toMatchObject({ status: 1, said: expect.stringContaining("waited for yes, and it is no") });
  });
});

describe("jit.sh", () => {
  const jit = (what: string, minutes: string) => run(e2e("jit.sh"), [what, minutes]);

  beforeEach(() => {
    standIn("sleep", `echo "$1" >>'${folder}/slept'`);
    mkdirSync(join(folder, "program"));
    writeFileSync(join(folder, "program/run.sh"), "#!/bin/bash\nexec tail -f /dev/null\n");
    chmodSync(join(folder, "program/run.sh"), 0o755);
    run("tar", ["-czf", join(folder, "runner.tar.gz"), "-C", join(folder, "program"), "run.sh"]);
    const sum = run("sha256sum", [join(folder, "runner.tar.gz")]).said.split(" ")[0];
    standIn("curl", `cp '${folder}/runner.tar.gz' "$3"`);
    standIn(
      "gh",
      `echo "$*" >>'${folder}/calls'
      case $* in
        *downloads*) echo "https://example.com/runner.tar.gz ${sum}" ;;
        *generate-jitconfig*) echo "7 secret" ;;
        *--jq*.status*) echo "$(cat '${folder}/state')" ;;
      esac`,
    );
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
    standIn("curl", `cat '${folder}/list'`);
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
});

test("e2e.yml expects something of each of its jobs, and of no other", () => {
  const { jobs } = parse(textOf(".github/workflows/e2e.yml")) as {
    jobs: Record<string, { needs?: string[]; steps: { run?: string }[] }>;
  };
  const { verdict } = jobs;
  const expected = Array.from(
    verdict?.steps.at(-1)?.run?.matchAll(/^(?:success|failure|skipped) ([\w-]+)/gm) ?? [],
    ([, name]) => name,
  );
  const own = Object.keys(jobs).filter((name) => !["verdict", "drive", "jit", "chain-build"].includes(name));
  expect([...new Set(expected)].toSorted()).toEqual(own.toSorted());
  expect(verdict?.needs?.toSorted()).toEqual(own.toSorted());
});
