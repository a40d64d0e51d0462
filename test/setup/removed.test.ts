import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { findEdits, findIdentity, findRemoved } from "../../setup/removed.ts";
import { SetupTestWorld, well } from "./support/setup-world.ts";

const NAME = "ephemeral-gpu-runner";
const PATH = ".github/workflows/own.yml";

/** Each finding as `LINE: what it says`. */
function found(text: string, name = NAME): string[] {
  return findRemoved([{ path: PATH, text }], name).map(
    ({ about, says }) => `${about.replace(`${PATH}:`, "")}: ${says}`,
  );
}

const steps = (text: string) => `on: push\njobs:\n  rent:\n    runs-on: ubuntu-latest\n    steps:\n${text}`;
const expression = (text: string) => "$".concat(`{{ ${text} }}`);

const USES = `      - uses: acme/${NAME}@v1\n        id: gpu\n`;
const withLine = (line: string) => steps(`${USES}        with:\n          ${line}\n`);

const VOLUME =
  "Make the volume once, by the service's console or the client (docs/client.md), and write volume-id: with its id.";
const HISTORY =
  "the file that history names is gone. Leave the line out, and the two cache steps around it: the history keeps itself in the job's log.";
const FAIL_JOBS = "the value fail-jobs of if-no-machine is gone. Write if-no-machine: auto";
const TREND = "the output trend is gone. Leave it out: the summary's table has the same figures.";

describe("what is gone is named with its line, and what to write", () => {
  test.each([
    [
      "the call",
      `on: push\njobs:\n  gpu:\n    uses: me/${NAME}/.github/workflows/gpu.yml@v1\n    with:\n      run: pytest\n`,
      "4: the workflow that could be called is gone. Write two jobs, as init writes them into .github/workflows/gpu.yml: rent, and test with your command.",
    ],
    [
      "the path /rent",
      steps(`      - uses: acme/${NAME}/rent@0123 # v1.2.3\n`),
      `6: the path /rent of the action is gone. Write uses: acme/${NAME}@0123`,
    ],
    ["a new volume", withLine("volume-create-new: true"), `9: the input volume-create-new is gone. ${VOLUME}`],
    ["its size", withLine('volume-size: "20"'), `9: the input volume-size is gone. ${VOLUME}`],
    ["the history's file", withLine("history: gpu-history.json"), `9: ${HISTORY}`],
    ["fail-jobs", withLine("if-no-machine: fail-jobs"), `9: ${FAIL_JOBS}`],
    ["fail-jobs in quotes", withLine('if-no-machine: "fail-jobs" # for a matrix'), `9: ${FAIL_JOBS}`],
    ["the output trend", steps(`${USES}      - run: cp ${expression("steps.gpu.outputs.trend")} .\n`), `8: ${TREND}`],
    [
      "a key of the output gpu-figures",
      steps(`${USES}      - run: jq '.[].ramPeakGb' <<<"$FIGURES"\n`),
      "8: the key ramPeakGb of gpu-figures is gone. Leave it out: the machine's own driver reports the GPU alone. Measure CPU, memory and disk in the job.",
    ],
  ])("%s", (_, text, says) => {
    expect(found(text)).toEqual([says]);
    expect(found(text.replaceAll("\n", "\r\n"))).toEqual([says]);
  });

  test.each([
    ["in braces", `      - uses: acme/${NAME}@v1\n        with: { history: "a.json", max-price: 1 }\n`, 7],
    ["in braces of a step", `      - { uses: acme/${NAME}@v1, with: { max-price: 1, history: a.json } }\n`, 6],
    ["in quotes, above `uses:`", `      - with:\n          "history": a.json\n\n        uses: "acme/${NAME}@v1"\n`, 7],
  ])("an input %s", (_, text, line) => expect(found(steps(text))).toEqual([`${line}: ${HISTORY}`]));
});

test.each<[string, string, name?: string]>([
  ["in a workflow without this action", withLine("history: a.json").replaceAll(NAME, "other")],
  [
    "in another action's step",
    steps(`${USES}      - uses: a/b@v1\n        with: { history: a.json, volume-size: 3 }\n`),
  ],
  ["in a comment line", withLine("# history: a.json")],
  ["in a comment behind a line", withLine("max-price: 1 # no history: a.json, no ramPeakGb")],
  ["in a use that is a comment", steps(`      # - uses: acme/${NAME}/rent@v1\n      - run: ls\n`)],
  ["in the text of an input", withLine("setup: |\n            history: a.json\n            volume-size: 3")],
  ["in a history that is switched off", withLine("history: false")],
  ["in a history that is switched on, in quotes", withLine('history: "True"')],
  ["in another value of if-no-machine", withLine("if-no-machine: cancel")],
  ["in another step's output", steps(`${USES}      - run: cp ${expression("steps.plot.outputs.trend")} .\n`)],
  ["by another name of the repository", withLine("history: a.json"), "gpu-fork"],
])("nothing is found %s", (_, text, name) => expect(found(text, name)).toEqual([]));

describe("what is gone or missing is written as it should be, and nothing else is changed", () => {
  /** The text after doctor; the same where only a person can say. */
  const edited = (text: string) => findEdits([{ path: PATH, text }], NAME)[0]?.after ?? text;
  const both = (line: string) => withLine(`api-key: k\n          max-price: 1 # a\n          ${line}`);

  test.each([
    ["a line that is gone", withLine("volume-size: 20\n          disk: 9 # b"), withLine("disk: 9 # b")],
    [
      "several lines of one",
      withLine("history: |\n            a\n            b\n          disk: 9"),
      withLine("disk: 9"),
    ],
    ["a value that is gone", withLine('if-no-machine: "fail-jobs" # c'), withLine('if-no-machine: "auto" # c')],
    ["an input by its new name", withLine("cancel-run: false # d"), withLine("if-no-machine: leave # d")],
    ["the same that was on", withLine('"cancel-run": true'), withLine("if-no-machine: auto")],
    [
      "the path /rent",
      steps(`      - uses: acme/${NAME}/rent@0123 # v1\n`),
      steps(`      - uses: acme/${NAME}@0123 # v1\n`),
    ],
    ["a missing max-cost", both("disk: 9"), both("max-cost: 2\n          disk: 9")],
    [
      "the same in braces",
      steps(`      - { uses: acme/${NAME}@v1, with: { api-key: k, max-price: 1 } } # e\n`),
      steps(`      - { uses: acme/${NAME}@v1, with: { api-key: k, max-price: 1, max-cost: 2 } } # e\n`),
    ],
    ["the history as it is now", withLine("history: false"), withLine("history: false")],
    ["a line in braces", steps(`      - { uses: acme/${NAME}@v1, with: { volume-size: 3 } }\n`), undefined],
    ["an output that is gone", steps(`${USES}      - run: cp ${expression("steps.gpu.outputs.trend")} .\n`), undefined],
  ])("%s", (_, before, after = before) => {
    expect(edited(before)).toBe(after);
    expect(edited(before.replaceAll("\n", "\r\n"))).toBe(after.replaceAll("\n", "\r\n"));
  });

  const call = (more: string) =>
    `on: { push: {}, pull_request: {} }\njobs:\n  gpu: # ours\n    uses: me/${NAME}/.github/workflows/gpu.yml@v1\n    with:\n      gpu-name: RTX 4090\n      max-price: 0.6\n      image: a/b:1\n      run: pytest -m gpu\n${more}  lint:\n    runs-on: ubuntu-latest\n`;

  test("the call becomes the two jobs that init writes", () => {
    const secrets = expression("secrets.RENTAL_API_KEY");
    const after = edited(call(`    secrets: { RENTAL_API_KEY: "${secrets}" }\n`));
    const { jobs } = parse(after);
    expect(Object.keys(jobs)).toEqual(["rent", "test", "lint"]);
    expect(jobs.rent.steps[0]).toMatchObject({
      uses: `me/${NAME}@v1`,
      with: { "gpu-name": "RTX 4090", "max-price": 0.6, "max-cost": 2, image: "a/b:1", "api-key": secrets },
    });
    expect(jobs.test.steps.at(-1).run).toBe("pytest -m gpu\n");
    expect(findRemoved([{ path: PATH, text: after }], NAME)).toEqual([]);
    expect(edited(call("").replaceAll("\n", "\r\n"))).toBe(edited(call("")).replaceAll("\n", "\r\n"));
  });

  test.each([
    ["an input that they have no place for", "      matrix: '{}'\n"],
    ["another secret", `    secrets: { api-key: "${expression("secrets.OTHER")}" }\n`],
    ["a job that it needs", "    needs: lint\n"],
  ])("a call with %s stays for a person", (_, more) => expect(edited(call(more))).toBe(call(more)));
});

test.concurrent("doctor shows what a workflow of one's own has too much and lacks, writes it after a yes, and leaves others alone", async () => {
  await using world = await SetupTestWorld.start();
  const own = withLine("history: gpu-history.json\n          api-key: k\n          max-price: 1").replaceAll(
    "\n",
    "\r\n",
  );
  const theirs = withLine("history: a.json").replaceAll(NAME, "other");
  world.write(PATH, own);
  world.write(".github/workflows/theirs.yaml", theirs);
  const shown = await world.run(["doctor", "--dry-run"]);
  expect(shown.out).toContain(`✗ ${PATH}:9: ${HISTORY}`);
  expect(shown.out).toContain(`✗ ${PATH}:11: the input max-cost is missing. Write max-cost: 2`);
  expect(shown.out).toMatch(/-\s+history: gpu-history\.json/);
  expect(shown.out).toMatch(/\+\s+max-cost: 2/);
  expect(world.read(PATH)).toBe(own);
  await well(world.run(["doctor", "--yes"]));
  expect(world.read(PATH)).toBe(
    withLine("api-key: k\n          max-price: 1\n          max-cost: 2").replaceAll("\n", "\r\n"),
  );
  expect(world.read(".github/workflows/theirs.yaml")).toBe(theirs);
  const again = await world.run(["doctor", "--yes"]);
  expect(again.err).toContain("Init was not here");
});

const LABEL = "gpu-$".concat("{{ github.run_id }}-$", "{{ github.run_attempt }}");

/** A workflow with a GPU job: what stands above the jobs, and what in it. */
const workflow = (above: string, job: string, runsOn = LABEL) =>
  `on: push\n${above}\njobs:\n  test:\n    runs-on: ${runsOn}\n    ${job}\n    steps: [{ run: pytest }]\n`;
const jobsFound = (text: string) => findIdentity([{ path: "gpu.yml", text }]).map(({ about, is }) => `${about} ${is}`);

test.each([
  ["its own", workflow("", "permissions: { contents: read, id-token: write }")],
  ["the workflow's", workflow("permissions: { id-token: write }", "timeout-minutes: 5")],
  ["all", workflow("", "permissions: write-all")],
  ["in a list of labels", workflow("", "permissions: { id-token: write }", `[self-hosted, "${LABEL}"]`)],
  ["by a group", workflow("", "permissions: { id-token: write }", `{ group: gpu, labels: "${LABEL}" }`)],
])("a GPU job that may ask for the cloud identity is found: %s", (_what, text) => {
  expect(jobsFound(text)).toEqual(["gpu.yml, job test bad"]);
});

test.each([
  ["a hosted job", workflow("", "permissions: { id-token: write }", "ubuntu-latest")],
  [
    "permissions of its own without it",
    workflow("permissions: { id-token: write }", "permissions: { contents: read }"),
  ],
  ["none", workflow("", "timeout-minutes: 5")],
  ["no workflow", "jobs: [1, 2]"],
  ["no YAML", "a: [b"],
])("nothing else is: %s", (_what, text) => {
  expect(jobsFound(text)).toEqual([]);
});

test.concurrent("init does not go on with such a job, and doctor names it", async () => {
  await using world = await SetupTestWorld.start();
  world.write(".github/workflows/own.yml", workflow("", "permissions: { id-token: write }"));
  const env = { RUNNER_TOKEN: world.simulator.github.runnerToken };
  const init = await world.run(["--yes", "--no-follow"], env);
  expect(init.err).toContain("The check is red: .github/workflows/own.yml, job test: id-token: write hands your cloud");
  const doctor = await world.run(["doctor", "--dry-run"], env);
  expect(doctor.out).toContain("✗ .github/workflows/own.yml, job test: id-token: write hands your cloud identity");
});
