import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, describe, expect, test, vi } from "vitest";
import { scaledClock } from "../../simulator/clock/sim-clock.ts";
import type { RunControl } from "../../simulator/github/runs/run-control.ts";
import { type GithubStandIn, startGithub } from "../../simulator/github/start-github.ts";
import { GithubClient } from "../../src/github/github-client.ts";
import { RunJobs } from "../../src/github/jobs.ts";
import { Runners } from "../../src/github/runners.ts";
import type { Clock } from "../../src/shared/clock.ts";
import { type FailingJobs, failJobs } from "../../src/teardown/fail-jobs.ts";
import { openSandboxUser } from "../../src/teardown/sandbox-user.ts";
import { aRun } from "../unit/support/a-run.ts";
import { RecordedLog } from "../unit/support/recorded-log.ts";

const LABEL = "gpu-4711-1";
const REASON = "No offer fits: gpu-name RTX 4090, max-price 0.60.\n##[group]not a group of ours";

/** Another user can be made here only by root, or by who may become root. */
const canBecomeRoot = process.getuid?.() === 0 || works("sudo", "-n", "true");

function works(command: string, ...args: string[]): boolean {
  try {
    execFileSync(command, args, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

interface World extends AsyncDisposable {
  github: GithubStandIn;
  run: RunControl;
  log: RecordedLog;
  failing(names: readonly string[], given?: Partial<FailingJobs>): FailingJobs;
}

/**
 * A run that is left with GPU jobs that wait, `more` beside the usual ones: what a job would do if
 * it ran can be seen.
 */
async function leftBehind(more: readonly string[] = []): Promise<World> {
  const clock = scaledClock(3);
  const github = await startGithub({ clock });
  const proof = join(tmpdir(), `ran-${process.pid}`);
  const gpu = { labels: [LABEL], run: [`touch ${proof}`, "env", "id"] };
  const jobs = [
    { name: "rent", labels: ["ubuntu-latest"], status: "in_progress" as const },
    { ...gpu, name: "one" },
    { ...gpu, name: "two" },
    ...more.map((name) => ({ ...gpu, name })),
    { ...gpu, name: "elsewhere", labels: ["another-label"] },
  ];
  const run = github.addRun({ repository: "octo/gpu-lib", runId: 4711, jobs });
  const log = new RecordedLog();
  const common = { apiUrl: github.url, owner: "octo", repo: "gpu-lib", clock };
  const runners = new Runners(new GithubClient({ ...common, token: github.runnerToken }));
  const list = new RunJobs(new GithubClient({ ...common, token: github.jobToken }), { runId: 4711, attempt: 1 });
  return {
    github,
    run,
    log,
    failing: (names, given) => ({
      jobs: names.map((name) => run.job(name)),
      reason: REASON,
      session: {
        run: aRun(),
        runnerNamePrefix: `${LABEL}-abcdef`,
        registrations: {
          registerRunner: (name, signal) => runners.registerRunner(name, LABEL, signal),
          remove: (id) => runners.remove(id),
        },
        runners,
        jobs: list,
        clock,
        log,
      },
      until: clock.now() + 300_000,
      openUser,
      ...given,
    }),
    async [Symbol.asyncDispose]() {
      await github[Symbol.asyncDispose]();
      expect(existsSync(proof), "a step of a job has run").toBe(false);
    },
  };
}

/** A folder for temporary ones in which nobody else makes any; every user may write to it. */
const temporary = mkdtempSync(join(tmpdir(), "fail-jobs-"));
chmodSync(temporary, 0o1777);
// Files of this kind share a process: the next one must not find it.
vi.stubEnv("TMPDIR", temporary);
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(temporary, { recursive: true });
});

/** Names of the users that this file made: another test run on this computer has its own. */
const ours = new Set<string>();

/** Makes a user, and remembers its name: the folder is named after it. */
const openUser: typeof openSandboxUser = async (...given) => {
  const user = await openSandboxUser(...given);
  ours.add(basename(user.folder).slice(0, "ghr-01234567".length));
  return user;
};

/** Users of ours that are still there, their folders, and what runs from them. */
function leftovers(): string[] {
  const users = execFileSync("getent", ["passwd"], { encoding: "utf8" }).split("\n");
  const processes = execFileSync("ps", ["-eo", "args"], { encoding: "utf8" }).split("\n");
  const folders = readdirSync(temporary);
  return [...folders, ...[...users, ...processes].filter((text) => [...ours].some((name) => text.includes(name)))];
}

describe.skipIf(!canBecomeRoot)("failing jobs on the hosted machine", () => {
  test("exactly those that can have no machine turn red, with the reason in their own log; nothing of them runs", async () => {
    await using world = await leftBehind();
    const { github, log, run } = world;
    const ids = [run.job("one").id, run.job("two").id];
    expect(await failJobs(world.failing(["one", "two"]))).toEqual(ids);
    for (const name of ["one", "two"]) {
      expect([run.job(name).status, run.job(name).conclusion]).toEqual(["completed", "failure"]);
      expect(run.job(name).log).toContain("No offer fits: gpu-name RTX 4090, max-price 0.60.");
      expect(run.job(name).log).not.toContain("##[group]not a group");
      expect(run.job(name).log).toContain("Jobs without a job container are forbidden on this runner");
      expect(run.job(name).runnerName).toMatch(/^gpu-4711-1-abcdef-none-[12]$/);
    }
    expect([run.job("elsewhere").status, run.job("rent").status]).toEqual(["queued", "in_progress"]);
    expect(github.runners()).toEqual([]);
    expect(log.warnings).toEqual([]);
    expect(leftovers()).toEqual([]);
  });

  test("of more jobs than have a runner at a time each turns red, and none finds what another one left", async () => {
    const names = ["one", "two", "three", "four", "five", "six", "seven"];
    await using world = await leftBehind(names.slice(2));
    expect(await failJobs(world.failing(names))).toEqual(names.map((name) => world.run.job(name).id));
    expect(world.log.warnings).toEqual([]);
    expect(world.github.runners()).toEqual([]);
    expect(leftovers()).toEqual([]);
  });

  test("a job that nobody gives out is left when the time is over, and everything is cleaned up", async () => {
    await using world = await leftBehind();
    world.run.job("one").complete();
    world.run.job("two").complete();
    const { clock } = world.failing([]).session;
    const failing = world.failing(["elsewhere"], { until: clock.now() + 30_000 });
    expect(await failJobs(failing)).toEqual([]);
    expect(world.log.warnings).toEqual([expect.stringMatching(/^1 of 1 jobs could not be failed .*\. \S/)]);
    expect(world.github.runners()).toEqual([]);
    expect(leftovers()).toEqual([]);
  });

  test("a program that is not the one that GitHub names is not started", async () => {
    await using world = await leftBehind();
    const failing = world.failing(["one"]);
    const found = await failing.session.runners.download(new AbortController().signal);
    vi.spyOn(failing.session.runners, "download").mockResolvedValue({ ...found, sha256: "ab".repeat(32) });
    expect(await failJobs(failing)).toEqual([]);
    expect(world.log.warnings).toEqual([expect.stringMatching(/if-no-machine: fail-jobs .*SHA-256/)]);
    expect(world.github.journal.of("generateJitConfig")).toEqual([]);
    expect(leftovers()).toEqual([]);
  });

  test("where GitHub registers no runner, nothing turns red, and nothing is left here", async () => {
    await using world = await leftBehind();
    world.github.setFaults([{ operation: "generateJitConfig", kind: "status", status: 403 }]);
    expect(await failJobs(world.failing(["one", "two"]))).toEqual([]);
    expect(world.log.warnings).toEqual([expect.stringMatching(/^2 of 2 jobs .*github-token may not register runners/)]);
    expect(leftovers()).toEqual([]);
  });

  test("a runner that has a job is not ended because another could not be registered", async () => {
    await using world = await leftBehind();
    world.github.setFaults([{ operation: "generateJitConfig", kind: "status", status: 403, nth: 2 }]);
    expect(await failJobs(world.failing(["one", "two"]))).toHaveLength(1);
    expect(world.log.warnings).toEqual([expect.stringMatching(/^1 of 2 jobs .*github-token may not register runners/)]);
    expect(world.github.runners()).toEqual([]);
    expect(leftovers()).toEqual([]);
  });

  test("the user has no group but its own, no way to become root, and none of our variables", async () => {
    process.env.A_SECRET_OF_OURS = "do not show";
    await using user = await openUser(() => {});
    await user.handOver();
    // biome-ignore-start lint/suspicious/noTemplateCurlyInString: bash
    const script = [
      'cd "$HOME"; IFS= read -r secret; touch mine',
      'for way in "sudo -n true" "su -c true"; do $way </dev/null >/dev/null 2>&1 && echo "root by $way"; done',
      'echo "groups $(id -G | wc -w), user $(id -u), secret ${#secret}, variables $(compgen -e | sort | xargs)" $(grep NoNewPrivs /proc/self/status)',
    ].join("\n");
    // biome-ignore-end lint/suspicious/noTemplateCurlyInString: bash
    const told = await user.start({ script, secret: "1234567", variables: { HOME: user.folder }, seconds: 10 });
    delete process.env.A_SECRET_OF_OURS;
    expect(told).toMatch(
      /^groups 1, user [1-9]\d*, secret 7, variables HOME( OLDPWD)? PATH PWD SHLVL( _)? NoNewPrivs: 1$/,
    );
    expect(readdirSync(user.folder)).toEqual(["mine"]);
  });

  test("what it left running ends with it", async () => {
    const user = await openUser(() => {});
    await user.handOver();
    const script = [
      `cd ${user.folder}`,
      `setsid bash -c "sleep 60; touch ${user.folder}/late" &`,
      "trap '' TERM",
      "touch begun",
      "while :; do sleep 1; done",
    ].join("\n");
    const running = user.start({ script, secret: "", variables: {}, seconds: 60 });
    await vi.waitFor(() => expect(readdirSync(user.folder)).toEqual(["begun"]), { timeout: 60_000 });
    await user[Symbol.asyncDispose]();
    // A process that was killed is in the list for a moment longer.
    await vi.waitFor(() => expect(leftovers()).toEqual([]), { timeout: 10_000 });
    await running;
  });
});

describe.concurrent("of nine jobs", () => {
  const NINE = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];

  /** A user whose programs take so long, or until the user is gone; none is really started. */
  function idleUser(clock: Clock, takesMs: number) {
    const seen = { running: 0, most: 0, begun: 0 };
    const gone = new AbortController();
    const openIdle = async () => ({
      folder: mkdtempSync(join(temporary, "idle-")),
      handOver: async () => {},
      async start() {
        seen.begun += 1;
        seen.running += 1;
        seen.most = Math.max(seen.most, seen.running);
        await clock.sleep(takesMs, gone.signal).catch(() => {});
        seen.running -= 1;
        return "";
      },
      async [Symbol.asyncDispose]() {
        gone.abort();
        rmSync(this.folder, { recursive: true });
      },
    });
    return { seen, openIdle };
  }

  test("four have a runner at a time, and the next one begins when one is over", async () => {
    await using world = await leftBehind(NINE.slice(2));
    const { clock } = world.failing([]).session;
    const { openIdle, seen } = idleUser(clock, 2000);
    expect(await failJobs(world.failing(NINE, { openUser: openIdle }))).toEqual([]);
    expect(seen).toEqual({ running: 0, most: 4, begun: 9 });
    expect(world.github.journal.of("generateJitConfig")).toHaveLength(9);
    expect(world.github.runners()).toEqual([]);
  });

  test("none begins when the time is over, and that is told", async () => {
    await using world = await leftBehind(NINE.slice(2));
    const { clock } = world.failing([]).session;
    const { openIdle, seen } = idleUser(clock, 3_600_000);
    expect(await failJobs(world.failing(NINE, { openUser: openIdle, until: clock.now() + 45_000 }))).toEqual([]);
    expect(seen.begun).toBe(4);
    expect(world.github.journal.of("generateJitConfig")).toHaveLength(4);
    expect(world.github.runners()).toEqual([]);
    expect(world.log.warnings).toEqual([
      expect.stringMatching(/^9 of 9 jobs could not be failed .* There was time for the runners of 4 of them\.$/),
    ]);
  });
});

test("where this step can't become root it says so, and changes nothing", async () => {
  await using world = await leftBehind();
  const withoutRoot: FailingJobs["openUser"] = (tell) => openUser(tell, ["a-sudo-that-is-not-there"]);
  expect(await failJobs(world.failing(["one"], { openUser: withoutRoot }))).toEqual([]);
  expect(world.log.warnings.at(-1)).toMatch(/^1 of 1 jobs .*useradd/);
  expect(world.run.job("one").status).toBe("queued");
  expect(world.github.journal.of("generateJitConfig")).toEqual([]);
  expect(leftovers()).toEqual([]);
});

test("no job, no time: nothing is begun, and a lack of time is told", async () => {
  await using world = await leftBehind();
  expect(await failJobs(world.failing([]))).toEqual([]);
  const late = world.failing(["one"], { until: 0 });
  expect(await failJobs(late)).toEqual([]);
  expect(world.log.warnings).toEqual([expect.stringMatching(/^1 of 1 jobs .* There was no time left for it\.$/)]);
  expect(world.github.journal.of("listDownloads")).toEqual([]);
});
