import { describe, expect, test } from "vitest";
import { findRemoved } from "../../setup/removed.ts";
import { SetupTestWorld } from "./support/setup-world.ts";

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
  "the input history is gone. Leave the line out, and the two cache steps around it. A run knows only its own machines now.";
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

  test("inputs in braces, in quotes, and above `uses:`", () => {
    expect(found(steps(`      - uses: acme/${NAME}@v1\n        with: { history: "a.json", max-price: 1 }\n`))).toEqual([
      `7: ${HISTORY}`,
    ]);
    expect(found(steps(`      - { uses: acme/${NAME}@v1, with: { max-price: 1, history: a.json } }\n`))).toEqual([
      `6: ${HISTORY}`,
    ]);
    expect(
      found(
        steps(
          `      - name: rents\n        with:\n          "history": a.json\n\n        # ours\n        uses: "acme/${NAME}@v1"\n`,
        ),
      ),
    ).toEqual([`8: ${HISTORY}`]);
  });
});

describe("nothing is found", () => {
  test.each([
    ["in a workflow without this action", withLine("history: a.json").replaceAll(NAME, "other"), undefined],
    [
      "in another action's step",
      steps(`${USES}      - uses: acme/other@v1\n        with:\n          history: a.json\n          volume-size: 3\n`),
      undefined,
    ],
    ["in a comment line", withLine("# history: a.json"), undefined],
    ["in a comment behind a line", withLine("max-price: 1 # no history: a.json, no ramPeakGb"), undefined],
    ["in a use that is a comment", steps(`      # - uses: acme/${NAME}/rent@v1\n      - run: ls\n`), undefined],
    [
      "in the text of an input",
      withLine("setup: |\n            history: a.json\n            volume-size: 3"),
      undefined,
    ],
    ["in another value of if-no-machine", withLine("if-no-machine: cancel"), undefined],
    [
      "in another step's output trend",
      steps(`${USES}      - run: cp ${expression("steps.plot.outputs.trend")} .\n`),
      undefined,
    ],
    ["by another name of the repository", withLine("history: a.json"), "gpu-fork"],
  ])("%s", (_, text, name) => {
    expect(found(text, name)).toEqual([]);
  });
});

test.concurrent("doctor names such a line in a workflow of one's own, changes nothing in it, and is red", async () => {
  await using world = await SetupTestWorld.start();
  const own = withLine("history: gpu-history.json").replaceAll("\n", "\r\n");
  world.write(PATH, own);
  world.write(".github/workflows/theirs.yaml", withLine("history: a.json").replaceAll(NAME, "other"));
  const without = await world.run(["doctor", "--yes"]);
  expect(without.out).toContain(`✗ ${PATH}:9: ${HISTORY}`);
  expect(without.err).toContain("Init was not here");
  const env = { RUNNER_TOKEN: world.simulator.github.runnerToken };
  await world.run(["init", "--yes", "--commit", "branch", "--no-follow"], env);
  const said = await world.run(["doctor", "--yes"]);
  expect(said.code).toBe(1);
  expect(said.out).toContain(`✗ ${PATH}:9: ${HISTORY}`);
  expect(said.out).not.toContain("theirs.yaml");
  expect(said.err).toMatch(/1 of \d+ are not as they should be/);
  expect(world.read(PATH)).toBe(own);
});
