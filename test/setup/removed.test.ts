import { describe, expect } from "vitest";
import { parse } from "yaml";
import { findEdits, findIdentity, findRemoved } from "../../setup/removed.ts";
import { test, well } from "./support/setup-world.ts";

const NAME = "ephemeral-gpu-runner";
const PATH = ".github/workflows/own.yml";

/** Each finding as `LINE: what it says`. */
function found(text: string, name = NAME): string[] {
  const found = findRemoved([{ path: PATH, text }], name);
  return found.map(({ about, says }) => `${about.replace(`${PATH}:`, "")}: ${says}`);
}

const steps = (text: string) => `on: push\njobs:\n  rent:\n    runs-on: ubuntu-latest\n    steps:\n${text}`;
const expression = (text: string) => "$".concat(`{{ ${text} }}`);

const USES = `      - uses: acme/${NAME}@v1\n        id: gpu\n`;
const inBraces = (inputs: string) => steps(`      - { uses: acme/${NAME}@v1, with: { ${inputs} } } # e\n`);
const use = (text: string) => steps(`      - uses: ${text.replace("ACTION", NAME)}\n`);
const inputs = (...lines: string[]) => steps([`${USES}        with:`, ...lines].join("\n          ").concat("\n"));
/** The text after doctor; the same where only a person can say. */
const edited = (text: string) => findEdits([{ path: PATH, text }], NAME)[0]?.after ?? text;

const BOTH = ["api-key: k", "max-price: 1"];
const volume = (input: string) =>
  `the input ${input} is gone. Make the volume once, by the service's console or the client (docs/client.md), and write volume-id: with its id.`;
const HISTORY =
  "the file that history names is gone. Leave the line out, and the two cache steps around it: the history keeps itself in the job's log.";
const FAIL_JOBS = "the value fail-jobs of if-no-machine is gone. Write if-no-machine: auto";
const CANCEL = "the input cancel-run is gone. Write if-no-machine: auto, cancel or leave";
const COST = "the input max-cost is missing. Write max-cost: 2, or what a run may spend in USD, or none for no limit";
const KEY =
  "the key ramPeakGb of gpu-figures is gone. Leave it out: the machine's own driver reports the GPU alone. Measure CPU, memory and disk in the job.";
const TREND = "the output trend is gone. Leave it out: the summary's table has the same figures.";

/** Expects what is said of a workflow, and what doctor makes of it, whatever ends its lines. */
function expectTold(before: string, says: string, after = before): void {
  expect([found(before), edited(before)]).toEqual([[says], after]);
  const windows = (text: string) => text.replaceAll("\n", "\r\n");
  expect([found(windows(before)), edited(windows(before))]).toEqual([[says], windows(after)]);
}

test.each<[what: string, before: string[], says: string, after: string[]]>([
  ["a new volume", ["disk: 9", "volume-create-new: true"], `10: ${volume("volume-create-new")}`, ["disk: 9"]],
  ["its size", ['volume-size: "20"', "disk: 9 # b"], `9: ${volume("volume-size")}`, ["disk: 9 # b"]],
  ["a file of the history", ["history: |\n            a\n            b", "disk: 9"], `9: ${HISTORY}`, ["disk: 9"]],
  ["fail-jobs", ["if-no-machine: fail-jobs"], `9: ${FAIL_JOBS}`, ["if-no-machine: auto"]],
  ["it in quotes", ['if-no-machine: "fail-jobs" # c'], `9: ${FAIL_JOBS}`, ['if-no-machine: "auto" # c']],
  ["cancel-run", ["cancel-run: false # d"], `9: ${CANCEL}`, ["if-no-machine: leave # d"]],
  ["it in quotes that was on", ['"cancel-run": true'], `9: ${CANCEL}`, ["if-no-machine: auto"]],
  ["a missing max-cost", [...BOTH, "disk: 9"], `10: ${COST}`, [...BOTH, "max-cost: 2", "disk: 9"]],
])("the input %s is told with its line, and written as it should be", (_, before, says, after) =>
  expectTold(inputs(...before), says, inputs(...after)),
);

test.each([
  ["the output trend", steps(`${USES}      - run: cp ${expression("steps.gpu.outputs.trend")} .\n`), `8: ${TREND}`],
  ["a key of gpu-figures", steps(`${USES}      - run: jq '.[].ramPeakGb' <<<"$FIGURES"\n`), `8: ${KEY}`],
  ["a volume in braces", inBraces("volume-size: 3"), `6: ${volume("volume-size")}`],
  ["a history in braces", inBraces("max-price: none, history: a.json"), `6: ${HISTORY}`],
  ["one in braces of its own", use("acme/ACTION@v1\n        with: { history: a.json, max-price: 1 }"), `7: ${HISTORY}`],
  ["one above `uses:`", steps(`      - with: { "history": a }\n\n        uses: "acme/${NAME}@v1"\n`), `6: ${HISTORY}`],
])("%s is told with its line, and stays for a person", (_, text, says) => expectTold(text, says));

test("a missing max-cost in braces, and a path of the action that is gone, are written as they should be", () => {
  expectTold(inBraces(BOTH.join(", ")), `6: ${COST}`, inBraces(`${BOTH.join(", ")}, max-cost: 2`));
  const path = `6: the path /rent of the action is gone. Write uses: acme/${NAME}@0123`;
  expectTold(use("acme/ACTION/rent@0123 # v1.2.3"), path, use("acme/ACTION@0123 # v1.2.3"));
});

test.each<[string, string, name?: string]>([
  ["in a workflow without this action", inputs("history: a.json").replaceAll(NAME, "other")],
  ["in another action", steps(`${USES}      - uses: a/b@v1\n        with: { history: a.json, volume-size: 3 }\n`)],
  ["in a comment line", inputs("# history: a.json")],
  ["in a comment behind a line", inputs("max-price: 1 # no history: a.json, no ramPeakGb")],
  ["in a use that is a comment", steps(`      # - uses: acme/${NAME}/rent@v1\n      - run: ls\n`)],
  ["in the text of an input", inputs("setup: |\n            history: a.json\n            volume-size: 3")],
  ["in a history that is switched off", inputs("history: false")],
  ["in a history that is switched on, in quotes", inputs('history: "True"')],
  ["in another value of if-no-machine", inputs("if-no-machine: cancel")],
  ["in another step's output", steps(`${USES}      - run: cp ${expression("steps.plot.outputs.trend")} .\n`)],
  ["by another name of the repository", inputs("history: a.json"), "gpu-fork"],
])("nothing is found %s", (_, text, name) => expect(found(text, name)).toEqual([]));

describe("a call of the workflow that could be called", () => {
  const call = (more: string) =>
    `on: { push: {}, pull_request: {} }\njobs:\n  gpu: # ours\n    uses: me/${NAME}/.github/workflows/gpu.yml@v1\n    with:\n      gpu-name: RTX 4090\n      max-price: 0.6\n      image: a/b:1\n      run: pytest -m gpu\n${more}  lint:\n    runs-on: ubuntu-latest\n`;

  test("is named, and becomes the two jobs that init writes", () => {
    expect(found(call(""))).toEqual([
      "4: the workflow that could be called is gone. Write two jobs, as init writes them into .github/workflows/gpu.yml: rent, and test with your command.",
    ]);
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
  ])("with %s stays for a person", (_, more) => expect(edited(call(more))).toBe(call(more)));
});

test.concurrent("doctor shows what a workflow of one's own has too much and lacks, and writes it after a yes", async ({
  world,
}) => {
  const own = inputs("history: gpu-history.json", "api-key: k", "max-price: 1").replaceAll("\n", "\r\n");
  const theirs = inputs("history: a.json").replaceAll(NAME, "other");
  world.write(PATH, own);
  world.write(".github/workflows/theirs.yaml", theirs);
  const shown = await world.run(["doctor", "--dry-run"]);
  expect(shown.out).toContain(`✗ ${PATH}:9: ${HISTORY}`);
  expect(shown.out).toContain(`✗ ${PATH}:11: the input max-cost is missing. Write max-cost: 2`);
  expect(shown.out).toMatch(/-\s+history: gpu-history\.json/);
  expect(shown.out).toMatch(/\+\s+max-cost: 2/);
  expect(world.read(PATH)).toBe(own);
  await well(world.run(["doctor", "--yes"]));
  expect(world.read(PATH)).toBe(inputs("api-key: k", "max-price: 1", "max-cost: 2").replaceAll("\n", "\r\n"));
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
  ["permissions without it", workflow("permissions: { id-token: write }", "permissions: { contents: read }")],
  ["none", workflow("", "timeout-minutes: 5")],
  ["no workflow", "jobs: [1, 2]"],
  ["no YAML", "a: [b"],
])("nothing else is: %s", (_what, text) => {
  expect(jobsFound(text)).toEqual([]);
});

test.concurrent("init does not go on with such a job, and doctor names it", async ({ world }) => {
  world.write(".github/workflows/own.yml", workflow("", "permissions: { id-token: write }"));
  const env = { RUNNER_TOKEN: world.github.runnerToken };
  const init = await world.run(["--yes", "--no-follow"], env);
  expect(init.err).toContain("The check is red: .github/workflows/own.yml, job test: id-token: write hands your cloud");
  const doctor = await world.run(["doctor", "--dry-run"], env);
  expect(doctor.out).toContain("✗ .github/workflows/own.yml, job test: id-token: write hands your cloud identity");
});
