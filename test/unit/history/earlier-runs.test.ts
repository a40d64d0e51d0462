import { expect, test } from "vitest";
import { GithubUnavailableError } from "../../../src/github/github-errors.ts";
import type { Run } from "../../../src/github/runs.ts";
import { type EarlierJobs, readEarlierRuns } from "../../../src/history/earlier-runs.ts";
import type { KeptFacts } from "../../../src/history/kept-facts.ts";
import { type Head, recordKey, recordLines } from "../../../src/history/records.ts";
import { aHead, aPastRun, DAY, factsOf, historyOf, NOW } from "./a-history.ts";

const KEY = recordKey({ apiKey: "the-api-key", repositoryId: 1, workflow: ".github/workflows/gpu.yml" });
const OWN_RUN = 500;
const HOUR = 3_600_000;

type SeenJob = Awaited<ReturnType<EarlierJobs["listJobs"]>>[number];
type Log = string | Error;

/** One job of a run in this world, whose id is that of the run and its place. */
interface WorldJob extends Partial<SeenJob> {
  log?: Log;
}

type WorldRun = Partial<Run> & { id: number; jobs?: WorldJob[]; log?: Log };

/** GitHub with these runs, newest first; each is an hour long and has one job that rents, but for what it says. */
class FakeRuns implements EarlierJobs {
  readonly asked: string[] = [];
  readonly #runs: readonly WorldRun[];
  readonly #attempts: Record<string, WorldJob[]>;
  ownName = async () => "rent";

  constructor(runs: readonly WorldRun[], attempts: Record<string, WorldJob[]> = {}) {
    this.#runs = runs;
    this.#attempts = attempts;
  }

  async listRuns(): Promise<Run[]> {
    const begun = (id: number) => NOW - (OWN_RUN - id) * HOUR;
    const times = (id: number) => ({ startedAt: begun(id), updatedAt: begun(id + 1) - 1 });
    return this.#runs.map(({ jobs: _jobs, log: _log, ...run }) => ({
      ...{ attempt: 1, status: "completed", conclusion: "success", headBranch: "main", headSha: "", isOfFork: false },
      ...times(run.id),
      ...run,
    }));
  }

  async listJobs({ attempt, id }: { attempt: number; id: number }): Promise<SeenJob[]> {
    this.asked.push(`jobs of ${id}`);
    return this.#jobsOf(id, attempt).map(({ log: _log, ...job }, index) => ({
      ...{ name: "rent", status: "completed", conclusion: "success", labels: ["ubuntu-latest"] },
      ...job,
      id: id * 100 + attempt * 10 + index,
    }));
  }

  async readLog(jobId: number, signal: AbortSignal): Promise<string> {
    const [run, attempt, index] = [Math.floor(jobId / 100), Math.floor(jobId / 10) % 10, jobId % 10];
    this.asked.push(`log of ${run}`);
    const { log = "" } = this.#jobsOf(run, attempt)[index] ?? {};
    signal.throwIfAborted();
    if (log instanceof Error) throw log;
    return log;
  }

  #jobsOf(id: number, attempt: number): WorldJob[] {
    const run = this.#runs.find((each) => each.id === id);
    return this.#attempts[`${id}/${attempt}`] ?? run?.jobs ?? [{ log: run?.log ?? "" }];
  }
}

/** The log of a run that knew one host, whose number is that of the run, and the runs before it. */
function logOf(run: number, facts: Partial<KeptFacts> = {}, head: Partial<Head> = {}): string {
  const machines = historyOf({ kind: "served", machine: run, at: NOW - DAY });
  const own = aPastRun({ run, at: NOW - DAY, usd: 1 });
  const lines = recordLines(factsOf({ machines, runs: [own], ...facts }), aHead({ run, ...head }), KEY);
  return `a line\n${lines.join("\n")}\nthe end\n`;
}

const GONE = new GithubUnavailableError("read the log of a job", "GitHub has not stored it yet");

async function reading(runs: WorldRun[] | FakeRuns, attempt = 1) {
  const jobs = runs instanceof FakeRuns ? runs : new FakeRuns(runs);
  const run = { runId: OWN_RUN, attempt, key: KEY, now: NOW };
  const found = await readEarlierRuns(jobs, run, new AbortController().signal);
  const { machines, unread } = found.facts;
  return { ...found, hosts: [...machines.keys()], unread: [...unread.keys()], asked: jobs.asked };
}

/** The newest runs, each with a log; the second is as it should be. */
const before = (first: WorldRun): WorldRun[] => [first, { id: 498, log: logOf(498) }];
const UNREAD = { unread: new Map([[498, NOW]]) };
const NOT_WHOLE = { isWhole: false };
const OTHER_JOBS = [
  { name: "rent-b", log: logOf(2) },
  { name: "lint", log: "no line" },
];
const UNWHOLE = { id: 499, log: logOf(499, {}, NOT_WHOLE) };
const BUG = { id: 498, log: new TypeError("x is not a function") };
const FOREIGN = { id: 499, log: logOf(499).replaceAll("known-1.", "known-1.x") };
const AT_ONCE = [
  { id: 499, log: logOf(499), startedAt: NOW - 2 * HOUR },
  { id: 498, log: logOf(498), updatedAt: NOW - HOUR },
  { id: 497, log: logOf(497), updatedAt: NOW - 3 * HOUR },
];
const BOTH = { hosts: [499, 498], head: { run: 499 } };
const MANY = Array.from({ length: 20 }, (_none, index) => ({ id: 499 - index, log: GONE }));

test.each<[string, WorldRun[], object]>([
  ["a first run knows nothing, and all there is", [], { hosts: [], isWhole: true, head: undefined, why: undefined }],
  ["a job reads its own name's log first", [{ id: 499, jobs: [...OTHER_JOBS, { log: logOf(3) }] }], { hosts: [3] }],
  ["and another one's where its own left none", [{ id: 499, jobs: OTHER_JOBS }], { hosts: [2] }],
  ["two runs at once: what the one could not know is read from the other", AT_ONCE, BOTH],
  ["its lines are of another key: the same", before(FOREIGN), { hosts: [498], unread: [499], isWhole: true }],
  ["a log without any line is none", before({ id: 499, log: "One input is wrong" }), { hosts: [498], unread: [] }],
  ["a bug of ours costs what is unread", [UNWHOLE, BUG], { hosts: [499], isWhole: false, why: BUG.log.message }],
  ["at most four logs", MANY, { hosts: [], head: undefined, isWhole: false, why: GONE.message }],
])("%s", async (_what, runs, found) => {
  expect(await reading(runs)).toMatchObject(found);
});

test.each<[string, WorldRun, string[]]>([
  ["this very run", { id: OWN_RUN }, []],
  ["a run that was skipped", { id: 499, conclusion: "skipped" }, []],
  ["a job that was skipped", { id: 499, jobs: [{ conclusion: "skipped" }] }, ["jobs of 499"]],
  ["a job that is not over", { id: 499, jobs: [{ status: "in_progress" }] }, ["jobs of 499"]],
  ["a GPU job of that name", { id: 499, jobs: [{ labels: ["gpu-499-1"] }] }, ["jobs of 499"]],
])("passed over without a request for a log: %s", async (_what, run, asked) => {
  const found = await reading(before({ ...run, log: logOf(1) }));
  expect(found).toMatchObject({ hosts: [498], asked: [...asked, "jobs of 498", "log of 498"] });
});

test("the previous attempt comes first, and what runs learnt since is read behind it", async () => {
  const world = new FakeRuns([{ id: 499, log: logOf(499) }], { [`${OWN_RUN}/1`]: [{ log: logOf(OWN_RUN) }] });
  const asked = expect.arrayContaining(["log of 500", "log of 499"]);
  expect(await reading(world, 2)).toMatchObject({ hosts: [500, 499], isWhole: true, asked });
});

test("a run that could not be read is not asked again", async () => {
  const { asked } = await reading([{ id: 499, log: logOf(499, UNREAD, NOT_WHOLE) }, { id: 498 }]);
  expect(asked).not.toContain("jobs of 498");
});

test("at most four logs and ten requests, however many runs there are", async () => {
  expect((await reading(MANY)).asked.filter((asked) => asked.startsWith("log"))).toHaveLength(4);
  const skipped = MANY.map(({ id }) => ({ id, jobs: [{ conclusion: "skipped" }] }));
  // Two more are the list of runs and that of the own jobs.
  expect((await reading(skipped)).asked.length).toBeLessThanOrEqual(8);
});

test("facts and runs that are older than 30 days don't count, however often their log is played again", async () => {
  const old = {
    machines: historyOf({ kind: "served", machine: 1, at: NOW - 31 * DAY }),
    runs: [aPastRun({ at: NOW - 31 * DAY })],
    days: new Map([[Math.floor((NOW - 32 * DAY) / DAY), { runs: 3, usd: 9 }]]),
    unread: new Map([[77, NOW - 31 * DAY]]),
  };
  expect((await reading([{ id: 499, log: logOf(499, old) }])).facts).toEqual(factsOf());
});
