import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { actionsLog, failStep, saveState, stepPage } from "../../../src/action/platform.ts";
import { StateNotSavedError } from "../../../src/machine/errors.ts";
import { CancelledError, UserError } from "../../../src/shared/user-error.ts";
import { stepOutput } from "../support/step-output.ts";

const printed = stepOutput();

/** The workflow commands that the platform would obey. */
function commands(): string[] {
  return printed.text.split("\n").filter((line) => line.trimStart().startsWith("::") || line.includes("##["));
}

beforeEach(() => {
  const platform = { JOB: "rent", REPOSITORY: "octo/lib", RUN_ID: "4711", SERVER_URL: "https://github.com" };
  for (const [name, value] of Object.entries(platform)) vi.stubEnv(`GITHUB_${name}`, value);
});

afterEach(() => {
  vi.unstubAllEnvs();
  process.exitCode = undefined;
});

test("a fault that we foresaw: an annotation that is enough to act on, what to do on a line of its own, no stack", () => {
  failStep(new UserError("No offer matches.", { hint: "Widen max-price." }));
  expect(printed.text.split("\n")[0]).toBe(
    "::error title=No offer matches (UserError)::No offer matches.%0AWhat to do: Widen max-price.%0AJob: 'rent', https://github.com/octo/lib/actions/runs/4711",
  );
  expect(printed.text.split("\n")[1]).toBe("What to do: Widen max-price.");
  expect(printed.text).not.toContain(".ts:");
  expect(process.exitCode).toBe(1);
});

test("what is added to a fault stands before its list, once", () => {
  const error = new UserError("2 inputs are wrong.\n- name: no\n- jobs: no");
  error.and("Nothing was rented.").and("Nothing was rented.");
  expect(error.message).toBe("2 inputs are wrong. Nothing was rented.\n- name: no\n- jobs: no");
});

test("outside of a job there is none to name", () => {
  vi.stubEnv("GITHUB_JOB", "");
  failStep(new UserError("No offer matches."));
  expect(printed.text).toBe("::error title=No offer matches (UserError)::No offer matches.\n");
});

test.each([
  ["It may not register in a/b (403: no). 'test' did not run. Nothing was rented.", "It may not register in a/b"],
  [`${"long ".repeat(20)}`, `${"long ".repeat(15)}long…`],
])("the title is what %j says first, with the class behind it", (message, subject) => {
  failStep(new UserError(message));
  expect(printed.text).toContain(`::error title=${subject} (UserError)::`);
});

test("it links to the heading of its class, in the guide of the version that runs; a mark stays the end", () => {
  vi.stubEnv("GITHUB_ACTION_REPOSITORY", "octo/ephemeral-gpu-runner");
  vi.stubEnv("GITHUB_ACTION_REF", "v1.2.3");
  failStep(new UserError("No offer matches.", { mark: "[lost job: 7]" }));
  const link = "https://github.com/octo/ephemeral-gpu-runner/blob/v1.2.3/docs/troubleshooting.md#usererror";
  expect(printed.text).toContain(`%0AMore: ${link}%0A[lost job: 7]\n`);
});

test("a cancel is no error; what it leaves rented is said in the log", () => {
  failStep(new CancelledError("SIGTERM"), "Without a post step they end by themselves.");
  expect(printed.text).toBe(
    "Stopped by SIGTERM. The post step gives back whatever is rented. Without a post step they end by themselves.\n",
  );
  expect(process.exitCode).toBe(1);
});

test("a stage is a group that is closed, also when its work fails", async () => {
  await actionsLog.stage("Search", async () => actionsLog.info("one"));
  const fault = new Error("broken");
  await expect(actionsLog.stage("Create\n::error::x", () => Promise.reject(fault))).rejects.toBe(fault);
  expect(commands().map((line) => line.split("::")[1])).toEqual(["group", "endgroup", "group", "endgroup"]);
});

test("a summary or an output that can't be written is only logged, a state is an error for people", async () => {
  for (const name of ["STEP_SUMMARY", "OUTPUT", "STATE"]) vi.stubEnv(`GITHUB_${name}`, "/no/such/folder/file");
  await stepPage.summarize("### Done");
  expect(commands()[0]).toMatch(/^::warning::The job summary could not be written/);
  stepPage.setOutput("instance-id", "701");
  expect(printed.text).toContain("The output instance-id could not be written");
  expect(() => saveState("prefix", "ghr1")).toThrow(StateNotSavedError);
});
