import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { jobsOrUndefined, runnerPort } from "../../../../src/action/platform/github-ports.ts";
import { LabelInUseError } from "../../../../src/action/platform/label-in-use.ts";
import { GithubDoubtError, GithubTokenError } from "../../../../src/github/github-errors.ts";
import { RUNNER_LABEL, runningJob } from "../../support/a-job.ts";
import { FakeGithub } from "../../support/fake-github.ts";

const DOUBT = new GithubDoubtError("ask", "502");
const NOT_ALLOWED = new GithubTokenError({ input: "job-token", task: "ask", remedy: "Grant it." }, 403, "No.");

let github: FakeGithub;
/** What the platform would have read of this step's output. */
let printed: string;

beforeEach(() => {
  github = new FakeGithub();
  printed = "";
  vi.spyOn(process.stdout, "write").mockImplementation((chunk) => {
    printed += String(chunk);
    return true;
  });
});

afterEach(() => {
  vi.restoreAllMocks();
});

const port = (ownIds: number[] = []) => runnerPort(github.desk, github.runJobs, RUNNER_LABEL, new Set(ownIds));

describe("a doubt is `unknown`, never an answer", () => {
  test("of a runner's state, and of its removal", async () => {
    github.statusAnswer = DOUBT;
    github.removeAnswer = DOUBT;
    expect(await port().status(21)).toBe("unknown");
    expect(await port().remove(21)).toBe("unknown");
  });

  test("of the jobs", async () => {
    github.jobs = DOUBT;
    expect(await jobsOrUndefined(github.runJobs, undefined)).toBeUndefined();
  });
});

test("answers are handed on", async () => {
  github.statusAnswer = "gone";
  github.removeAnswer = "busy";
  github.jobs = [runningJob({ id: 5 })] as typeof github.jobs;
  expect(await port().status(21)).toBe("gone");
  expect(await port().remove(21)).toBe("busy");
  expect(await jobsOrUndefined(github.runJobs, undefined)).toMatchObject([{ id: 5 }]);
});

test("a token that may not do it is no doubt", async () => {
  github.statusAnswer = NOT_ALLOWED;
  github.jobs = NOT_ALLOWED;
  await expect(port().status(21)).rejects.toBe(NOT_ALLOWED);
  await expect(jobsOrUndefined(github.runJobs, undefined)).rejects.toBe(NOT_ALLOWED);
});

test("a token that has registered a runner and is refused later has expired: that says nothing of the machine", async () => {
  const expired = new GithubTokenError(
    { input: "github-token", task: "ask", remedy: "Renew it." },
    401,
    "Bad credentials",
  );
  github.minted = { id: 21, jitConfig: "another-configuration" };
  const used = port();
  await used.mint("gpu-4711-1-abcdef-1");
  github.statusAnswer = expired;
  github.removeAnswer = expired;
  expect(await used.status(21)).toBe("unknown");
  expect(await used.remove(21)).toBe("unknown");
});

describe("whether a job ran on a runner", () => {
  const runner = { id: 21, name: "gpu-4711-1-abcdef-1" };
  const ran = (jobs: object[]) => {
    github.jobs = jobs as typeof github.jobs;
    return port().ranJob(runner);
  };

  test("by the runner's id, or by its name", async () => {
    expect(await ran([runningJob({ runnerId: 21, runnerName: "another" })])).toBe("yes");
    expect(await ran([runningJob({ runnerId: undefined, runnerName: runner.name })])).toBe("yes");
  });

  test("not by a job that has no runner, or another one", async () => {
    const elsewhere = runningJob({ runnerId: 22, runnerName: `${runner.name}0` });
    expect(await ran([runningJob({ runnerId: undefined, runnerName: undefined }), elsewhere])).toBe("no");
  });

  test.each([DOUBT, NOT_ALLOWED])("is unknown when the list can't be read ($name)", async (error) => {
    github.jobs = error;
    expect(await port().ranJob(runner)).toBe("unknown");
  });

  test("a bug is not taken for a doubt", async () => {
    github.jobs = new TypeError("a bug");
    await expect(port().ranJob(runner)).rejects.toThrow("a bug");
  });
});

describe("minting", () => {
  const ours = { id: 21, name: "gpu-4711-1-abcdef-1", labels: [RUNNER_LABEL] };

  test("masks the runner's configuration before anything can print it", async () => {
    await port().mint("gpu-4711-1-abcdef-1");
    expect(printed).toContain("::add-mask::the-runner-configuration");
  });

  test("another use that registered our label at the same time is seen now, before anything is rented", async () => {
    github.runners = [ours, { ...ours, id: 22, name: "gpu-4711-1-zzzzzz-1" }];
    await expect(port().mint(ours.name)).rejects.toBeInstanceOf(LabelInUseError);
  });

  test("our own runners are no rivals, nor are those of other labels", async () => {
    github.runners = [ours, { ...ours, id: 20 }, { ...ours, id: 9, labels: ["gpu-4711-2"] }];
    expect(await port([20]).mint(ours.name)).toMatchObject({ id: 21 });
  });

  test("where GitHub can't be asked, the label is taken to be free", async () => {
    github.runners = DOUBT;
    expect(await port().mint(ours.name)).toMatchObject({ id: 21 });
  });
});
