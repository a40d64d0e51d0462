import { describe, expect, test } from "vitest";
import { GithubRefusedError, GithubTokenError, GithubUnavailableError } from "../../src/github/github-errors.ts";
import { RunJobs } from "../../src/github/jobs.ts";
import { Runners } from "../../src/github/runners.ts";
import { AttachedRunner } from "../simulator/support/attached-runner.ts";
import {
  type GithubUnderContract,
  GPU_JOB,
  LABEL,
  NAME,
  RENT_JOB,
  RUN_ID,
  startContract,
} from "./support/github-under-contract.ts";

describe("register", () => {
  test("registers a single-use runner of that name and label, and brings its configuration", async () => {
    await using world = await startContract();
    const { id, jitConfig } = await world.runners.registerRunner(NAME, LABEL);
    expect(world.github.runners()).toEqual([{ id, name: NAME, labels: [LABEL], online: false, job: undefined }]);
    expect(jitConfig.length).toBeGreaterThan(1000);
  });

  test("409: a stale runner of that name is removed, and it is registered again", async () => {
    await using world = await startContract();
    const stale = await world.runners.registerRunner(NAME, "an-old-label");
    const fresh = await world.runners.registerRunner(NAME, LABEL);
    expect(fresh.id).not.toBe(stale.id);
    expect(world.github.runners()).toMatchObject([{ id: fresh.id, labels: [LABEL] }]);
    expect(world.statuses("generateJitConfig")).toEqual([201, 409, 201]);
  });

  test("409 that stays: the error has GitHub's own sentence", async () => {
    await using world = await startContract();
    const conflict = { status: 409, body: { message: "The group has no room" } };
    world.github.setFaults([{ operation: "generateJitConfig", kind: "status", ...conflict }]);
    const refusal = world.runners.registerRunner(NAME, LABEL);
    // No runner has that name, so asking for it again is in vain: GitHub refuses.
    await expect(refusal).rejects.toBeInstanceOf(GithubRefusedError);
    await expect(refusal).rejects.toThrow("The group has no room");
    expect(world.statuses("generateJitConfig")).toEqual([409]);
  });

  test("409: other runners are left alone", async () => {
    await using world = await startContract();
    const other = await world.runners.registerRunner(`${NAME}0`, LABEL);
    for (const label of ["an-old-label", LABEL]) await world.runners.registerRunner(NAME, label);
    expect(world.github.runners().map(({ id }) => id)).toContain(other.id);
  });

  test.each([
    ["a lost answer, then 409", { kind: "lose-answer" }, ["no answer", 409, 201]],
    ["an answer that can't be read", { kind: "status", status: 201, body: {} }, [201, 201]],
  ] as const)("%s: the runner that nobody has the configuration of is replaced", async (_what, fault, statuses) => {
    await using world = await startContract();
    world.github.setFaults([{ operation: "generateJitConfig", ...fault, nth: 1 }]);
    const { id } = await world.runners.registerRunner(NAME, LABEL);
    expect(world.github.runners()).toMatchObject([{ id, name: NAME }]);
    expect(world.statuses("generateJitConfig")).toEqual(statuses);
  });
});

describe("look", () => {
  /** The state of one runner. */
  const stateOf = async ({ runners }: GithubUnderContract, id: number) => (await runners.look(new Set([id]))).get(id);

  test("offline, online, and gone once it is removed", async () => {
    await using world = await startContract();
    const { id, jitConfig } = await world.runners.registerRunner(NAME, LABEL);
    expect(await stateOf(world, id)).toBe("offline");
    await new AttachedRunner(world.github, jitConfig).connect();
    expect(await stateOf(world, id)).toBe("online");
    world.github.dropRunner(id);
    expect(await stateOf(world, id)).toBe("gone");
  });

  test("busy while its job runs, then cut off for some seconds, and gone", async () => {
    await using world = await startContract();
    world.addRun([RENT_JOB, GPU_JOB]);
    const { id, runner } = await world.attach();
    const job = await runner.takeJob();
    expect(await stateOf(world, id)).toBe("busy");
    await runner.finish(job);
    expect(await stateOf(world, id)).toBe("cut-off");
    await expect(world.runners.remove(id)).resolves.toBe("busy");
    world.clock.advance(10);
    expect(await stateOf(world, id)).toBe("gone");
  });

  test("nobody: nothing is asked", async () => {
    await using world = await startContract();
    expect(await world.runners.look(new Set())).toEqual(new Map());
    expect(world.github.journal.entries).toEqual([]);
  });

  test("all runners of a fleet cost one request, each has its own state", async () => {
    await using world = await startContract();
    world.addRun([RENT_JOB, GPU_JOB]);
    const { id: busy, runner } = await world.attach();
    await runner.takeJob();
    const offline = await world.mint(15);
    const states = await world.runners.look(new Set([busy, ...offline]));
    expect([...states]).toEqual([[busy, "busy"], ...offline.map((id) => [id, "offline"])]);
    expect(asked(world)).toEqual({ listRunners: [200], getRunner: [] });
  });

  test.each([1, 16])("while nothing changes it costs nothing for %i: 304 is not counted", async (many) => {
    await using world = await startContract();
    const ids = new Set(await world.mint(many));
    await world.runners.look(ids);
    const before = world.github.counted(world.github.runnerToken);
    for (let look = 0; look < 20; look += 1) expect((await world.runners.look(ids)).size).toBe(many);
    expect(world.github.counted(world.github.runnerToken)).toBe(before);
    expect(world.statuses(many === 1 ? "getRunner" : "listRunners")).toEqual([200, ...Array(20).fill(304)]);
  });

  test.each([1, 2])("what changed after a 304 is seen (%i asked for)", async (many) => {
    await using world = await startContract();
    const others = await world.mint(many - 1);
    const { id, jitConfig } = await world.runners.registerRunner(NAME, LABEL);
    const ids = new Set([id, ...others]);
    await world.runners.look(ids);
    await world.runners.look(ids);
    await new AttachedRunner(world.github, jitConfig).connect();
    for (let look = 0; look < 2; look += 1) expect((await world.runners.look(ids)).get(id)).toBe("online");
  });

  test("one that the list lacks is asked for by its id, and is gone when that says so, too", async () => {
    await using world = await startContract();
    const [first = 0, second = 0, third = 0] = await world.mint(3);
    const ids = new Set([first, second, third]);
    await world.runners.look(ids);
    world.github.dropRunner(second);
    for (let look = 0; look < 2; look += 1) {
      expect([...(await world.runners.look(ids)).values()]).toEqual(["offline", "gone", "offline"]);
    }
    expect(world.statuses("getRunner")).toEqual([404, 404]);
    expect(world.runners.askedAlone).toBe(1);
  });

  test("one that the list shows late is not gone", async () => {
    await using world = await startContract();
    const [first = 0] = await world.mint(1);
    await world.runners.look(new Set([first, 999]));
    const [second = 0] = await world.mint(1);
    world.github.setFaults([{ operation: "listRunners", kind: "stale" }]);
    expect((await world.runners.look(new Set([first, second]))).get(second)).toBe("offline");
  });

  test("one that answers 404 while the list has it is not gone", async () => {
    await using world = await startContract();
    const [id = 0] = await world.mint(1);
    world.github.setFaults([{ operation: "getRunner", kind: "status", status: 404 }]);
    expect(await stateOf(world, id)).toBe("offline");
  });

  test("a token that may see nothing any more (404): none of its runners is gone", async () => {
    await using world = await startContract();
    const ids = new Set(await world.mint(2));
    const hidden = { kind: "status", status: 404 } as const;
    world.github.setFaults([
      { operation: "getRunner", ...hidden },
      { operation: "listRunners", ...hidden },
    ]);
    await expect(world.runners.look(ids)).rejects.toBeInstanceOf(GithubTokenError);
    await expect(stateOf(world, [...ids][0] ?? 0)).rejects.toBeInstanceOf(GithubTokenError);
  });

  test("more than 100 runners: only ours, each by its id, free while unchanged", async () => {
    await using world = await startContract();
    const ids = await world.mint(101);
    const ours = new Set([ids[0] ?? 0, ids[99] ?? 0, ids[100] ?? 0]);
    for (let look = 0; look < 4; look += 1) {
      expect([...(await world.runners.look(ours)).values()]).toEqual(["offline", "offline", "offline"]);
    }
    expect(asked(world)).toEqual({ listRunners: [200], getRunner: [...Array(3).fill(200), ...Array(9).fill(304)] });
    world.github.dropRunner(ids[99] ?? 0);
    expect([...(await world.runners.look(ours)).values()]).toEqual(["offline", "gone", "offline"]);
    expect(world.runners.askedAlone).toBe(3);
  });

  test("exactly 100 runners are still one page", async () => {
    await using world = await startContract();
    expect((await world.runners.look(new Set(await world.mint(100)))).size).toBe(100);
    expect([world.runners.askedAlone, asked(world)]).toEqual([0, { listRunners: [200], getRunner: [] }]);
  });
});

/** The answers to looks. */
function asked(world: GithubUnderContract) {
  return { listRunners: world.statuses("listRunners"), getRunner: world.statuses("getRunner") };
}

describe("remove", () => {
  test("a runner that is there, and one that is not: nobody can use it any more", async () => {
    await using world = await startContract();
    const { id } = await world.runners.registerRunner(NAME, LABEL);
    expect(await world.runners.remove(id)).toBe("removed");
    expect(await world.runners.remove(id)).toBe("removed");
    expect(world.statuses("removeRunner")).toEqual([204, 404]);
    expect(world.github.runners()).toEqual([]);
  });

  test("a 404 proves nothing while the list shows the runner: it may have a job", async () => {
    await using world = await startContract();
    world.addRun([RENT_JOB, GPU_JOB]);
    const { id, runner } = await world.attach();
    world.github.setFaults([{ operation: "removeRunner", kind: "status", status: 404, times: 1 }]);
    await expect(world.runners.remove(id)).rejects.toBeInstanceOf(GithubUnavailableError);
    await runner.takeJob();
    expect(await world.runners.remove(id)).toBe("busy");
  });

  test("a 404 proves nothing where the token can't list the runners either", async () => {
    await using world = await startContract();
    const { id } = await world.runners.registerRunner(NAME, LABEL);
    const hidden = { kind: "status", status: 404 } as const;
    world.github.setFaults([
      { operation: "removeRunner", ...hidden },
      { operation: "listRunners", ...hidden },
    ]);
    await expect(world.runners.remove(id)).rejects.toBeInstanceOf(GithubTokenError);
  });

  test("a runner that runs a job is busy, and stays", async () => {
    await using world = await startContract();
    world.addRun([RENT_JOB, GPU_JOB]);
    const { id, runner } = await world.attach();
    await runner.takeJob();
    expect(await world.runners.remove(id)).toBe("busy");
    expect(world.github.runners()).toMatchObject([{ id, job: "test" }]);
  });
});

describe("find", () => {
  test.each([
    [205, 3],
    [100, 1],
  ])("looks through all pages of %i runners, and asks for no empty one", async (many, pages) => {
    await using world = await startContract();
    await world.mint(many);
    const found = await world.runners.find(({ name }) => name.endsWith("-1") || name.endsWith(`-${many}`));
    expect(found.map(({ name }) => name.split("-").at(-1))).toEqual(["1", String(many)]);
    expect(world.statuses("listRunners")).toHaveLength(pages);
  });

  test("tells id, name and labels", async () => {
    await using world = await startContract();
    const { id } = await world.runners.registerRunner(NAME, LABEL);
    expect(await world.runners.find(({ labels }) => labels.includes(LABEL))).toEqual([
      { id, name: NAME, labels: [LABEL], state: "offline" },
    ]);
    expect(await world.runners.find(({ labels }) => labels.includes("gpu"))).toEqual([]);
  });
});

describe("download", () => {
  test("is the program for Linux on x64, with its SHA-256", async () => {
    await using world = await startContract();
    const { url, sha256 } = await world.runners.download();
    expect(url).toMatch(/^http.*linux-x64.*\.tar\.gz$/);
    expect(sha256).toMatch(/^[0-9a-f]{64}$/);
  });

  test("writes the SHA-256 in small letters, as sha256sum does", async () => {
    await using world = await startContract();
    world.github.publishSha256("AB".repeat(32));
    expect((await world.runners.download()).sha256).toBe("ab".repeat(32));
  });

  test("without a published SHA-256 nothing is downloaded", async () => {
    await using world = await startContract();
    world.github.publishSha256(null);
    await expect(world.runners.download()).rejects.toBeInstanceOf(GithubRefusedError);
  });
});

describe("jobs", () => {
  test("as the list shows them: labels, status, conclusion, runner", async () => {
    await using world = await startContract();
    const run = world.addRun([
      RENT_JOB,
      GPU_JOB,
      { name: "skipped", labels: [LABEL], if: false },
      { name: "later", labels: [LABEL], needs: ["rent"] },
    ]);
    expect(await world.jobs.list()).toMatchObject([
      { id: run.job("rent").id, name: "rent", status: "in_progress", runnerName: "hosted-1", conclusion: undefined },
      { name: "test", status: "queued", labels: [LABEL], runnerId: undefined, runnerName: undefined },
      { name: "skipped", status: "completed", conclusion: "skipped", labels: [] },
    ]);
  });

  test("the job's runner is the one that was registered", async () => {
    await using world = await startContract();
    world.addRun([RENT_JOB, GPU_JOB]);
    const { id, runner } = await world.attach();
    const job = await runner.takeJob();
    const ours = async () => (await world.jobs.list()).find(({ name }) => name === "test");
    expect(await ours()).toMatchObject({ status: "in_progress", runnerId: id, runnerName: NAME });
    await runner.finish(job, "failure");
    expect(await ours()).toMatchObject({ status: "completed", conclusion: "failure", runnerId: id });
  });

  test("one that was cancelled before a runner had it has none", async () => {
    await using world = await startContract();
    world.addRun([RENT_JOB, GPU_JOB]).job("test").complete("cancelled");
    const [, job] = await world.jobs.list();
    expect(job).toMatchObject({ conclusion: "cancelled", runnerId: undefined, runnerName: undefined });
  });

  test("over all pages", async () => {
    await using world = await startContract();
    world.addRun(Array.from({ length: 230 }, (_none, n) => ({ name: `job ${n}`, labels: ["ubuntu-latest"] })));
    const jobs = await world.jobs.list();
    expect(new Set(jobs.map(({ name }) => name)).size).toBe(230);
    expect(world.statuses("listJobs")).toEqual([200, 200, 200]);
  });

  test("one that moved to the next page between two requests is one job", async () => {
    await using world = await startContract();
    const jobs = Array.from({ length: 101 }, (_none, n) => ({ name: `job ${n}`, labels: ["ubuntu-latest"] }));
    world.addRun(jobs);
    const { id } = Object(await world.jobs.list())[99];
    // A job that came meanwhile stands before it: the hundredth is the first of the second page.
    const row = (own: number, name: string) => ({ id: own, name, status: "queued", labels: [] });
    const body = { total_count: 102, jobs: [row(id, "job 99"), row(999, "job 100")] };
    world.github.setFaults([{ operation: "listJobs", kind: "status", status: 200, nth: 2, body }]);
    const listed = await world.jobs.list();
    expect(listed.map(({ name }) => name)).toEqual(jobs.map(({ name }) => name));
  });

  test("only of this attempt", async () => {
    await using world = await startContract();
    world.addRun([RENT_JOB]);
    world.addRun([RENT_JOB, GPU_JOB], 2);
    const second = new RunJobs(world.connect({ token: world.github.jobToken }), { runId: RUN_ID, attempt: 2 });
    expect(await world.jobs.list()).toHaveLength(1);
    expect(await second.list()).toHaveLength(2);
  });

  test("while nothing changes they cost nothing, on each page: 304 is not counted", async () => {
    await using world = await startContract();
    world.addRun(Array.from({ length: 130 }, (_none, n) => ({ name: `job ${n}`, labels: ["ubuntu-latest"] })));
    await world.jobs.list();
    const before = world.github.counted(world.github.jobToken);
    for (let look = 0; look < 20; look += 1) expect(await world.jobs.list()).toHaveLength(130);
    expect(world.github.counted(world.github.jobToken)).toBe(before);
    expect(before).toBe(2);
  });

  test("what changed after a 304 is seen, and only its page is counted", async () => {
    await using world = await startContract();
    const run = world.addRun(Array.from({ length: 130 }, (_none, n) => ({ name: `job ${n}`, labels: [`label-${n}`] })));
    await world.jobs.list();
    await world.jobs.list();
    const before = world.github.counted(world.github.jobToken);
    run.job("job 129").setStatus("in_progress");
    expect((await world.jobs.list()).find(({ name }) => name === "job 129")?.status).toBe("in_progress");
    expect(world.github.counted(world.github.jobToken)).toBe(before + 1);
  });

  test("a doubt on the second page is a doubt about all", async () => {
    await using world = await startContract();
    world.addRun(Array.from({ length: 130 }, (_none, n) => ({ name: `job ${n}`, labels: ["ubuntu-latest"] })));
    world.github.setFaults([{ operation: "listJobs", kind: "status", status: 502, nth: 2 }]);
    await expect(world.jobs.list()).rejects.toBeInstanceOf(GithubUnavailableError);
  });
});

describe("GitHub Enterprise Server", () => {
  test("answers under /api/v3, a slash at its end or not", async () => {
    await using world = await startContract();
    for (const apiUrl of [`${world.github.url}/api/v3`, `${world.github.url}/api/v3/`]) {
      const runners = new Runners(world.connect({ apiUrl }));
      const { id } = await runners.registerRunner(NAME, LABEL);
      expect(await runners.look(new Set([id]))).toEqual(new Map([[id, "offline"]]));
      expect(await runners.remove(id)).toBe("removed");
    }
  });
});

describe("an organisation's runners", () => {
  const TOKEN = "ghs_of_the_organisation";
  const permissions = { organization_self_hosted_runners: "write" as const };
  const tokens = { [TOKEN]: { name: "org", kind: "integration" as const, permissions } };

  test("are registered in their group, seen, and removed", async () => {
    await using world = await startContract(tokens);
    const runners = new Runners(world.connect({ token: TOKEN }), { kind: "org", groupId: 3 });
    const { id } = await runners.registerRunner(NAME, LABEL);
    expect(await runners.look(new Set([id]))).toEqual(new Map([[id, "offline"]]));
    expect(await runners.find(({ name }) => name === NAME)).toMatchObject([{ id, name: NAME, labels: [LABEL] }]);
    expect((await runners.download()).sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(await runners.remove(id)).toBe("removed");
    expect(world.github.runners()).toEqual([]);
    // Nothing of the repository goes along in a path or a query of the organisation's.
    expect(world.github.journal.entries.map(({ path }) => path).filter((path) => path.includes("gpu-lib"))).toEqual([]);
  });

  test("a token that lacks the permission: it is named as the organisation's settings name it", async () => {
    await using world = await startContract(tokens);
    const runners = new Runners(world.connect(), { kind: "org", groupId: 1 });
    await expect(runners.registerRunner(NAME, LABEL)).rejects.toMatchObject({
      message: expect.stringContaining("github-token may not register runners in the organisation octo"),
      hint: expect.stringContaining('"Self-hosted runners: write"'),
    });
  });

  test("a group that is not there: the hint names the input", async () => {
    await using world = await startContract(tokens);
    const runners = new Runners(world.connect({ token: TOKEN }), { kind: "org", groupId: 7 });
    await expect(runners.registerRunner(NAME, LABEL)).rejects.toMatchObject({
      hint: expect.stringContaining("runner-group-id"),
    });
  });
});
