import { describe, expect } from "vitest";
import { GithubRefusedError, GithubTokenError, GithubUnavailableError } from "../../src/github/github-errors.ts";
import { RunJobs } from "../../src/github/jobs.ts";
import { Runners } from "../../src/github/runners.ts";
import { AttachedRunner } from "../simulator/support/attached-runner.ts";
import {
  type GithubUnderContract,
  GPU_JOB,
  LABEL,
  manyJobs,
  NAME,
  RENT_JOB,
  RUN_ID,
  TOKEN,
  test,
} from "./support/github-under-contract.ts";

const HIDDEN = { kind: "status", status: 404 } as const;
/** The state of one runner. */
const stateOf = async ({ runners }: GithubUnderContract, id = 0) => (await runners.look(new Set([id]))).get(id);
const statesOf = async ({ runners }: GithubUnderContract, ids: readonly number[]) => [
  ...(await runners.look(new Set(ids))).values(),
];
/** The answers to looks. */
const asked = ({ statuses }: GithubUnderContract) => [statuses("listRunners"), statuses("getRunner")];
const times = (many: number, status: number) => Array(many).fill(status);

describe("register", () => {
  test("409: a stale runner of that name is removed, no other one, and it is registered again", async ({ world }) => {
    const other = await world.runners.registerRunner(`${NAME}0`, LABEL);
    await world.runners.registerRunner(NAME, "an-old-label");
    const fresh = await world.runners.registerRunner(NAME, LABEL);
    expect(world.github.runners()).toMatchObject([{ id: other.id }, { id: fresh.id, labels: [LABEL] }]);
    expect(world.statuses("generateJitConfig")).toEqual([201, 201, 409, 201]);
  });

  test("409 that stays: the error has GitHub's own sentence", async ({ world }) => {
    const conflict = { status: 409, body: { message: "The group has no room" } };
    world.github.setFaults([{ operation: "generateJitConfig", kind: "status", ...conflict }]);
    const refusal = world.runners.registerRunner(NAME, LABEL);
    // No runner has that name, so asking for it again is in vain: GitHub refuses.
    await expect(refusal).rejects.toBeInstanceOf(GithubRefusedError);
    await expect(refusal).rejects.toThrow("The group has no room");
    expect(world.statuses("generateJitConfig")).toEqual([409]);
  });

  test.for([
    ["a lost answer, then 409", { kind: "lose-answer" }, ["no answer", 409, 201]],
    ["an answer that can't be read", { kind: "status", status: 201, body: {} }, [201, 201]],
  ] as const)(
    "%s: the runner that nobody has the configuration of is replaced",
    async ([, fault, statuses], { world }) => {
      world.github.setFaults([{ operation: "generateJitConfig", ...fault, nth: 1 }]);
      const { id } = await world.runners.registerRunner(NAME, LABEL);
      expect(world.github.runners()).toMatchObject([{ id, name: NAME }]);
      expect(world.statuses("generateJitConfig")).toEqual(statuses);
    },
  );

  test("a lost answer, then 409 before the list shows that runner: no refusal, it is asked again", async ({
    world,
  }) => {
    const empty = { status: 200, body: { total_count: 0, runners: [] } };
    world.github.setFaults([
      { operation: "generateJitConfig", kind: "lose-answer", nth: 1 },
      { operation: "listRunners", kind: "status", ...empty, nth: 1 },
    ]);
    const { id } = await world.runners.registerRunner(NAME, LABEL);
    expect(world.github.runners()).toMatchObject([{ id, name: NAME }]);
    expect(world.statuses("generateJitConfig")).toEqual(["no answer", 409, 409, 201]);
  });
});

describe("look", () => {
  test("busy while its job runs, then cut off for some seconds, and gone", async ({ world }) => {
    world.addRun([RENT_JOB, GPU_JOB]);
    const { id, runner } = await world.attach();
    const job = await runner.takeJob();
    expect(await stateOf(world, id)).toBe("busy");
    expect(await world.runners.remove(id)).toBe("busy");
    expect(world.github.runners()).toMatchObject([{ id, job: "test" }]);
    await runner.finish(job);
    expect(await stateOf(world, id)).toBe("cut-off");
    expect(await world.runners.remove(id)).toBe("busy");
    world.clock.advance(10);
    expect(await stateOf(world, id)).toBe("gone");
  });

  test("all runners of a fleet cost one request, each has its own state", async ({ world }) => {
    world.addRun([RENT_JOB, GPU_JOB]);
    const { id: busy, runner } = await world.attach();
    await runner.takeJob();
    const offline = await world.mint(15);
    const states = await world.runners.look(new Set([busy, ...offline]));
    expect([...states]).toEqual([[busy, "busy"], ...offline.map((id) => [id, "offline"])]);
    expect(asked(world)).toEqual([[200], []]);
  });

  test.for([1, 16])("while nothing changes it costs nothing for %i: 304 is not counted", async (many, { world }) => {
    const ids = await world.mint(many);
    await statesOf(world, ids);
    const before = world.github.counted(world.github.runnerToken);
    for (let look = 0; look < 20; look += 1) expect(await statesOf(world, ids)).toHaveLength(many);
    expect(world.github.counted(world.github.runnerToken)).toBe(before);
    expect(world.statuses(many === 1 ? "getRunner" : "listRunners")).toEqual([200, ...times(20, 304)]);
  });

  test.for([1, 2])("what changed after a 304 is seen (%i asked for)", async (many, { world }) => {
    const others = await world.mint(many - 1);
    const { id, jitConfig } = await world.runners.registerRunner(NAME, LABEL);
    const ids = [...others, id];
    for (let look = 0; look < 2; look += 1) await statesOf(world, ids);
    await new AttachedRunner(world.github, jitConfig).connect();
    for (let look = 0; look < 2; look += 1) expect((await statesOf(world, ids)).at(-1)).toBe("online");
  });

  test("one that the list lacks is asked for by its id, and is gone when that says so, too", async ({ world }) => {
    const ids = await world.mint(3);
    await statesOf(world, ids);
    world.github.dropRunner(ids[1] ?? 0);
    for (let look = 0; look < 2; look += 1) expect(await statesOf(world, ids)).toEqual(["offline", "gone", "offline"]);
    expect(world.statuses("getRunner")).toEqual([404, 404]);
    expect(world.runners.askedAlone).toBe(1);
  });

  test("one that the list shows late is not gone", async ({ world }) => {
    const [first = 0] = await world.mint(1);
    await statesOf(world, [first, 999]);
    const { id } = await world.runners.registerRunner(NAME, LABEL);
    world.github.setFaults([{ operation: "listRunners", kind: "stale" }]);
    expect(await statesOf(world, [first, id])).toEqual(["offline", "offline"]);
  });

  test("a 404 while the list has it, or can't be seen, does not mean gone", async ({ world }) => {
    const ids = await world.mint(2);
    world.github.setFaults([{ operation: "getRunner", ...HIDDEN }]);
    expect(await stateOf(world, ids[0])).toBe("offline");
    world.github.setFaults([
      { operation: "getRunner", ...HIDDEN },
      { operation: "listRunners", ...HIDDEN },
    ]);
    await expect(statesOf(world, ids)).rejects.toBeInstanceOf(GithubTokenError);
    await expect(stateOf(world, ids[0])).rejects.toBeInstanceOf(GithubTokenError);
  });

  test("more than 100 runners: only ours, each by its id, free while unchanged", async ({ world }) => {
    const ids = await world.mint(101);
    const ours = [ids[0] ?? 0, ids[99] ?? 0, ids[100] ?? 0];
    for (let look = 0; look < 4; look += 1)
      expect(await statesOf(world, ours)).toEqual(["offline", "offline", "offline"]);
    expect(asked(world)).toEqual([[200], [...times(3, 200), ...times(9, 304)]]);
    world.github.dropRunner(ids[99] ?? 0);
    expect(await statesOf(world, ours)).toEqual(["offline", "gone", "offline"]);
    expect(world.runners.askedAlone).toBe(3);
  });

  test("exactly 100 runners are still one page", async ({ world }) => {
    expect(await statesOf(world, await world.mint(100))).toHaveLength(100);
    expect(asked(world)).toEqual([[200], []]);
  });
});

describe("remove", () => {
  test("a runner that is there, and one that is not: nobody can use it any more", async ({ world }) => {
    const { id } = await world.runners.registerRunner(NAME, LABEL);
    for (const _twice of [1, 2]) expect(await world.runners.remove(id)).toBe("removed");
    expect(world.statuses("removeRunner")).toEqual([204, 404]);
    expect(world.github.runners()).toEqual([]);
  });

  test("a 404 proves nothing while the list shows the runner, or can't be seen", async ({ world }) => {
    const { id } = await world.runners.registerRunner(NAME, LABEL);
    world.github.setFaults([{ operation: "removeRunner", ...HIDDEN }]);
    await expect(world.runners.remove(id)).rejects.toBeInstanceOf(GithubUnavailableError);
    world.github.setFaults([
      { operation: "removeRunner", ...HIDDEN },
      { operation: "listRunners", ...HIDDEN },
    ]);
    await expect(world.runners.remove(id)).rejects.toBeInstanceOf(GithubTokenError);
  });
});

test.for([
  [205, 3],
  [100, 1],
] as const)(
  "find looks through all pages of %i runners, and asks for no empty one",
  async ([many, pages], { world }) => {
    const ids = await world.mint(many);
    const found = await world.runners.find(({ name }) => name.endsWith("-1") || name.endsWith(`-${many}`));
    const first = { id: ids[0], name: `${NAME}-many-1`, labels: [LABEL], state: "offline" };
    expect(found).toEqual([first, expect.objectContaining({ id: ids.at(-1) })]);
    expect(world.statuses("listRunners")).toHaveLength(pages);
  },
);

test("the download: for Linux on x64, its SHA-256 in small letters, none without", async ({ world }) => {
  expect((await world.runners.download()).url).toMatch(/^http.*linux-x64.*\.tar\.gz$/);
  world.github.publishSha256("AB".repeat(32));
  expect((await world.runners.download()).sha256).toBe("ab".repeat(32));
  world.github.publishSha256(null);
  await expect(world.runners.download()).rejects.toBeInstanceOf(GithubRefusedError);
});

describe("jobs", () => {
  test("as the list shows them: labels, status, conclusion, runner, and since when they wait", async ({ world }) => {
    const cancelled = { ...GPU_JOB, name: "cancelled", status: "completed", conclusion: "cancelled" } as const;
    const skipped = { name: "skipped", labels: [LABEL], if: false };
    const later = { name: "later", labels: [LABEL], needs: ["rent"] };
    const run = world.addRun([RENT_JOB, GPU_JOB, skipped, later, cancelled], { secondsAgo: 960 });
    const listed = await world.jobs.list();
    const nobody = { runnerId: undefined, runnerName: undefined };
    expect(listed).toMatchObject([
      { id: run.job("rent").id, name: "rent", status: "in_progress", runnerName: "hosted-1", conclusion: undefined },
      { name: "test", status: "queued", labels: [LABEL], ...nobody },
      { name: "skipped", status: "completed", conclusion: "skipped", labels: [] },
      { name: "cancelled", conclusion: "cancelled" },
    ]);
    expect(listed[1]?.createdAt).toBe(world.clock.now() - 960_000);
  });

  test("the job's runner is the one that was registered; one that was cancelled before has none", async ({ world }) => {
    const run = world.addRun([RENT_JOB, GPU_JOB, { ...GPU_JOB, name: "second" }]);
    const { id, runner } = await world.attach();
    const job = await runner.takeJob();
    const ours = async (which = "test") => (await world.jobs.list()).find(({ name }) => name === which);
    expect(await ours()).toMatchObject({ status: "in_progress", runnerId: id, runnerName: NAME });
    await runner.finish(job, "failure");
    expect(await ours()).toMatchObject({ status: "completed", conclusion: "failure", runnerId: id });
    run.job("second").complete("cancelled");
    expect(await ours("second")).toMatchObject({ conclusion: "cancelled", runnerId: undefined, runnerName: undefined });
  });

  test("its moments are by our own clock, however far from GitHub's that is", async ({ world }) => {
    const { id } = world.addRun([RENT_JOB, GPU_JOB], { secondsAgo: 960 }).job("test");
    const createdAt = world.clock.now() - 960_000;
    for (const ahead of [600_000, -10_800_000]) {
      const clock = { ...world.clock, now: () => world.clock.now() + ahead };
      const jobs = new RunJobs(world.connect({ token: world.github.jobToken, clock }), { runId: RUN_ID, attempt: 1 });
      const row = expect.objectContaining({ id, createdAt: createdAt + ahead });
      expect(await jobs.list()).toContainEqual(row);
      world.clock.advance(1000);
      // The second look is answered by a 304.
      expect(await jobs.list()).toContainEqual(row);
      expect(await jobs.lookAt(id)).toEqual(row);
    }
  });

  test("over all pages; a doubt on one of them is a doubt about all", async ({ world }) => {
    world.addRun(manyJobs(230));
    expect(new Set((await world.jobs.list()).map(({ name }) => name)).size).toBe(230);
    expect(world.statuses("listJobs")).toEqual([200, 200, 200]);
    world.github.setFaults([{ operation: "listJobs", kind: "status", status: 502, nth: 2 }]);
    await expect(world.jobs.list()).rejects.toBeInstanceOf(GithubUnavailableError);
  });

  test("one that moved to the next page between two requests is one job", async ({ world }) => {
    world.addRun(manyJobs(101));
    const { id } = Object(await world.jobs.list())[99];
    // A job that came meanwhile stands before it: the hundredth is the first of the second page.
    const row = (own: number, name: string) => ({ id: own, name, status: "queued", labels: [] });
    const body = { total_count: 102, jobs: [row(id, "job 99"), row(999, "job 100")] };
    world.github.setFaults([{ operation: "listJobs", kind: "status", status: 200, nth: 2, body }]);
    expect((await world.jobs.list()).map(({ name }) => name)).toEqual(manyJobs(101).map(({ name }) => name));
  });

  test("unchanged pages cost nothing; of what changed only its page is counted", async ({ world }) => {
    const run = world.addRun(manyJobs(130));
    const { counted, jobToken } = world.github;
    for (let look = 0; look < 20; look += 1) expect(await world.jobs.list()).toHaveLength(130);
    expect(counted(jobToken)).toBe(2);
    run.job("job 129").setStatus("in_progress");
    expect((await world.jobs.list()).find(({ name }) => name === "job 129")?.status).toBe("in_progress");
    expect(counted(jobToken)).toBe(3);
  });
});

test("GitHub Enterprise Server answers under /api/v3, a slash at its end or not", async ({ world }) => {
  for (const end of ["", "/"]) {
    const runners = new Runners(world.connect({ apiUrl: `${world.github.url}/api/v3${end}` }));
    const { id } = await runners.registerRunner(NAME, LABEL);
    expect(await runners.remove(id)).toBe("removed");
  }
});

describe("an organisation's runners", () => {
  const ofGroup = ({ connect }: GithubUnderContract, groupId: number, token: string = TOKEN.org) =>
    new Runners(connect({ token }), { kind: "org", groupId });

  test("are registered in their group, seen, and removed", async ({ world }) => {
    const runners = ofGroup(world, 3);
    const { id } = await runners.registerRunner(NAME, LABEL);
    expect(await runners.look(new Set([id]))).toEqual(new Map([[id, "offline"]]));
    expect(await runners.find(({ name }) => name === NAME)).toMatchObject([{ id, name: NAME, labels: [LABEL] }]);
    expect((await runners.download()).sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(await runners.remove(id)).toBe("removed");
    expect(world.github.runners()).toEqual([]);
    // Nothing of the repository goes along in a path or a query of the organisation's.
    expect(world.github.journal.entries.map(({ path }) => path).filter((path) => path.includes("gpu-lib"))).toEqual([]);
  });

  test("a token that lacks the permission, or a group that is not there: what to do is named", async ({ world }) => {
    const poor = ofGroup(world, 1, world.github.runnerToken).registerRunner(NAME, LABEL);
    await expect(poor).rejects.toMatchObject({
      message: expect.stringContaining("github-token may not register runners in the organisation octo"),
      hint: expect.stringContaining('"Self-hosted runners: write"'),
    });
    const hint = expect.stringContaining("runner-group-id");
    await expect(ofGroup(world, 7).registerRunner(NAME, LABEL)).rejects.toMatchObject({ hint });
  });
});
