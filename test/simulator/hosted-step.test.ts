import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { HostedStep, type HostedStepOptions } from "../../simulator/actions/hosted-step.ts";
import { until } from "./support/until.ts";

const ACTION = `
name: tried
inputs:
  size: { default: small }
  status: { default: "\${{ job.status }}" }
runs: { using: node24, main: main.mjs, post: post.mjs }
`;
const PRINT = `console.log(JSON.stringify(Object.fromEntries(Object.entries(process.env).filter(([name]) => /^(INPUT|STATE|GITHUB_RUN|RUNNER_N|MY)/i.test(name)))));`;
/** Lives until a signal, and says which. */
const WAIT = `
setInterval(() => {}, 1000);
process.once("SIGINT", () => { console.log("got SIGINT"); process.exit(0); });
console.log("waiting");
`;

/** A step whose main and post are these programs. */
function step(main: string, post: string, options: Partial<HostedStepOptions> = {}): HostedStep {
  const action = mkdtempSync(join(tmpdir(), "tried-action-"));
  onTestFinished(() => rmSync(action, { recursive: true, force: true }));
  for (const [name, text] of Object.entries({ "action.yml": ACTION, "main.mjs": main, "post.mjs": post }))
    writeFileSync(join(action, name), text);
  return new HostedStep({ action, with: {}, env: { GITHUB_RUN_ID: "9" }, githubToken: "token", ...options });
}

/** A program that appends such lines to a command file. */
const writing = (file: string, ...lines: string[]) =>
  `import { appendFileSync } from "node:fs"; appendFileSync(process.env.${file}, ${JSON.stringify(`${lines.join("\n")}\n`)});`;

test("a cancel while post runs does not signal it; the job is cancelled at once, whatever post does then", async () => {
  using tried = step("", `console.log("waiting"); setTimeout(() => process.exit(1), 300);`);
  await tried.startMain().done;
  const post = tried.startPost();
  await until(() => post.log().includes("waiting"));
  post.cancel();
  expect(tried.jobStatus).toBe("cancelled");
  expect(await post.done).toMatchObject({ exitCode: 1, signal: null, wasCancelled: false });
  expect(tried.jobStatus).toBe("cancelled");
});

test("a step's time-out and a shutdown send main SIGINT: the log tells the one and post is told failure, the other has no post", async () => {
  for (const isLate of [true, false]) {
    using tried = step(WAIT, PRINT);
    const main = tried.startMain();
    await until(() => main.log().includes("waiting"));
    if (isLate) main.timeOut(1);
    else tried.shutDown();
    const { log } = await main.done;
    expect(log).toContain("got SIGINT");
    expect(/##\[error\]The action '.*' has timed out after 1 minutes\.\n/.test(log)).toBe(isLate);
    if (isLate) expect(JSON.parse((await tried.startPost().done).log)).toMatchObject({ INPUT_STATUS: "failure" });
    else expect(() => tried.startPost()).toThrow("there is no post");
  }
});

test("a later step's GITHUB_ENV changes no input, no state and nothing of the platform; all else reaches post", async () => {
  using tried = step(writing("GITHUB_STATE", "id=7"), PRINT);
  await tried.startMain().done;
  tried.laterStepSets({
    ...{ INPUT_SIZE: "large", STATE_id: "8", STATE_ID: "8", GITHUB_RUN_ID: "10", RUNNER_NAME: "x" },
    ...{ INPUT_OTHER: "undeclared", STATE_other: "unsaved", MY_OWN: "1" },
  });
  expect(JSON.parse((await tried.startPost().done).log)).toEqual({
    ...{ INPUT_SIZE: "small", INPUT_STATUS: "success", STATE_id: "7", GITHUB_RUN_ID: "9" },
    ...{ INPUT_OTHER: "undeclared", STATE_other: "unsaved", MY_OWN: "1" },
  });
});

test("an output that holds a masked text is none of the job's outputs; later steps still have it", async () => {
  const main = `console.log("::add-mask::s3cret%25"); ${writing("GITHUB_OUTPUT", "url=http://x/?key=s3cret%", "name=one")}`;
  using tried = step(main, "");
  expect((await tried.startMain().done).outputs).toEqual({ url: "http://x/?key=s3cret%", name: "one" });
  expect(tried.jobOutputs).toEqual({ name: "one" });
});
