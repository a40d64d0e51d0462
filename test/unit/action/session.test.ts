import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { PlatformError } from "../../../src/action/inputs/errors.ts";
import { readInputs } from "../../../src/action/inputs/read.ts";
import { openService, openSession } from "../../../src/action/open-session.ts";
import { matcherOf } from "../../../src/release/session.ts";
import { NEEDED_INPUTS } from "../support/a-run.ts";
import { stepOutput } from "../support/step-output.ts";

stepOutput();

beforeEach(() => {
  const run = { REPOSITORY: "octo/gpu-lib", RUN_ID: "4711", RUN_ATTEMPT: "2", JOB: "rent" };
  for (const [name, value] of Object.entries(run)) vi.stubEnv(`GITHUB_${name}`, value);
  vi.stubEnv("RUNNER_NAME", "hosted-1");
});

afterEach(() => {
  vi.unstubAllEnvs();
});

/** The session of a step with these inputs. */
async function opened(inputs: Record<string, string>, id?: string) {
  for (const [name, value] of Object.entries({ ...NEEDED_INPUTS, ...inputs }))
    vi.stubEnv(`INPUT_${name.toUpperCase()}`, value);
  const given = readInputs();
  await using room = openService(given.lenient);
  return openSession(given, room, { id });
}

test("names, jobs and its own job are those of this run, this session and this job", async () => {
  const session = await opened({ name: "cuda12", "job-check-run-id": "99", "job-status": "cancelled" }, "abcdef");
  expect(session.runnerNamePrefix).toBe("gpu-4711-2-cuda12-abcdef");
  expect(matcherOf(session)).toEqual({
    runnerLabel: "gpu-4711-2-cuda12",
    runnerNamePrefix: "gpu-4711-2-cuda12-abcdef",
    own: { checkRunId: 99, runnerName: "hosted-1", jobName: "rent" },
  });
  expect(session.inputs).toMatchObject({ jobStatus: "cancelled", knowsLabel: true, ifNoMachine: "auto" });
});

test("it draws an id of its own where main gave it none", async () => {
  const [one, other] = [await opened({}), await opened({})];
  expect(one.id).toMatch(/^[a-z0-9]{6}$/);
  expect(other.id).not.toBe(one.id);
});

test("a slip in an input does not keep it from opening; one in the name does from knowing its jobs", async () => {
  const session = await opened({ "max-price": "free", name: "No Good", "if-no-machine": "cancel" });
  expect(session.inputs).toMatchObject({ ifNoMachine: "cancel", knowsLabel: false });
});

test("outside of a workflow there is none", async () => {
  vi.stubEnv("GITHUB_RUN_ID", "");
  await expect(opened({})).rejects.toBeInstanceOf(PlatformError);
});
