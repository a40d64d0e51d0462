import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const SCRIPT = fileURLToPath(new URL("../../scripts/gpu-call/main.mjs", import.meta.url));

const CALL = {
  run: "pytest -m gpu",
  matrix: "",
  artifacts: "",
  name: "",
  "timeout-minutes": "60",
  machines: "auto",
  "max-price": "0.60",
  "max-cost": "",
  "jobs-per-machine": "1",
  "keep-failed": "0s",
  environment: "",
  "app-client-id": "",
  "has-api-key": "true",
  "has-runner-token": "true",
  "has-app-private-key": "false",
  "workflow-repository": "Octo/ephemeral-gpu-runner",
  "same-enterprise": "false",
};

interface Run {
  event?: string;
  actor?: string;
  /** The repository that a pull request comes from; null: GitHub has it no more. */
  head?: string | null;
  attempt?: string;
}

/** The step's output and outputs for a call that is good but for what is given. */
function plan(inputs: Partial<typeof CALL> = {}, { event = "push", actor = "ada", head, attempt = "2" }: Run = {}) {
  const folder = mkdtempSync(join(tmpdir(), "gpu-call-"));
  try {
    const output = join(folder, "output");
    writeFileSync(output, "");
    const repo = head === null ? null : { full_name: head };
    const payload = head === undefined ? {} : { pull_request: { head: { repo } } };
    writeFileSync(join(folder, "event.json"), JSON.stringify(payload));
    const given = Object.entries({ ...CALL, ...inputs }).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]);
    const { status, stdout } = spawnSync(process.execPath, [SCRIPT], {
      encoding: "utf8",
      env: {
        ...Object.fromEntries(given),
        GITHUB_OUTPUT: output,
        GITHUB_EVENT_PATH: join(folder, "event.json"),
        GITHUB_EVENT_NAME: event,
        GITHUB_ACTOR: actor,
        GITHUB_REPOSITORY: "octo/gpu-lib",
        GITHUB_RUN_ID: "4711",
        GITHUB_RUN_ATTEMPT: attempt,
      },
    });
    const lines = readFileSync(output, "utf8").trimEnd().split("\n");
    const outputs = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
    );
    return { status, annotations: stdout.split("\n").filter((line) => line.startsWith("::")), outputs };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The values that the jobs of a matrix get, one text a job. */
function jobsOf(matrix: unknown): string[] {
  const { outputs } = plan({ matrix: JSON.stringify(matrix) });
  const { include } = JSON.parse(outputs.matrix ?? "{}") as { include: { title: string; variables: string }[] };
  expect(outputs.jobs).toBe(String(include.length));
  return include.map(({ variables }) => variables.replaceAll("\n", " "));
}

describe("a good call", () => {
  test("is one job without a matrix", () => {
    expect(plan()).toEqual({
      status: 0,
      annotations: [],
      outputs: {
        go: "true",
        jobs: "1",
        matrix: '{"include":[{"index":0,"title":"","variables":""}]}',
        "max-lifetime": "70m",
      },
    });
  });

  test("with keep-failed gives a machine time for the look, too", () => {
    expect(plan({ "keep-failed": "1h30m" }).outputs["max-lifetime"]).toBe("160m");
    expect(plan({ "keep-failed": "90s" }).outputs["max-lifetime"]).toBe("72m");
  });

  test("with several jobs a machine and 20 minutes each gives a machine time for all of them", () => {
    const { outputs } = plan({ "jobs-per-machine": "3", "timeout-minutes": "20" });
    expect(outputs["max-lifetime"]).toBe("70m");
  });

  // "Re-run failed jobs" hands the first attempt's outputs to the jobs of the second.
  test("gets the same in every attempt", () => {
    const call = { name: "cuda12", matrix: '{"python": ["3.11", "3.12"]}' };
    expect(plan(call, { attempt: "2" })).toEqual(plan(call, { attempt: "1" }));
  });

  test("hands the values of a matrix on as variables", () => {
    const { outputs } = plan({ matrix: '{"python": ["3.11"], "cuda-version": [12.8], "flags": [{"a": true}]}' });
    expect(JSON.parse(outputs.matrix ?? "")).toEqual({
      include: [
        {
          index: 0,
          title: '3.11, 12.8, {"a":true}',
          variables: 'MATRIX_PYTHON=3.11\nMATRIX_CUDA_VERSION=12.8\nMATRIX_FLAGS={"a":true}',
        },
      ],
    });
  });
});

describe("a matrix", () => {
  test("is what GitHub's documentation makes of its example of include", () => {
    const matrix = {
      fruit: ["apple", "pear"],
      animal: ["cat", "dog"],
      include: [
        { color: "green" },
        { color: "pink", animal: "cat" },
        { fruit: "apple", shape: "circle" },
        { fruit: "banana" },
        { fruit: "banana", animal: "cat" },
      ],
    };
    expect(jobsOf(matrix)).toEqual([
      "MATRIX_FRUIT=apple MATRIX_ANIMAL=cat MATRIX_COLOR=pink MATRIX_SHAPE=circle",
      "MATRIX_FRUIT=apple MATRIX_ANIMAL=dog MATRIX_COLOR=green MATRIX_SHAPE=circle",
      "MATRIX_FRUIT=pear MATRIX_ANIMAL=cat MATRIX_COLOR=pink",
      "MATRIX_FRUIT=pear MATRIX_ANIMAL=dog MATRIX_COLOR=green",
      "MATRIX_FRUIT=banana",
      "MATRIX_FRUIT=banana MATRIX_ANIMAL=cat",
    ]);
  });

  test("loses what exclude names, in part or as a whole", () => {
    const matrix = { a: [1, 2], b: ["x", "y"], exclude: [{ a: 1, b: "y" }, { a: 2 }] };
    expect(jobsOf(matrix)).toEqual(["MATRIX_A=1 MATRIX_B=x"]);
  });

  test("can be made of include alone", () => {
    expect(jobsOf({ include: [{ a: 1 }, { a: 2 }] })).toEqual(["MATRIX_A=1", "MATRIX_A=2"]);
  });

  const list = (length: number) => Array.from({ length }, (_, index) => index);
  test.each([
    ["no JSON", "python: 3.11", /matrix is no JSON .*It looks like/],
    ["a list", '["3.11"]', /must be an object of lists/],
    ["a value that is no list", '{"python": "3.11"}', /python must be a list/],
    ["an empty list", '{"python": []}', /python must be a list with at least one value/],
    ["nothing left", '{"a": [1], "exclude": [{"a": 1}]}', /no combination/],
    ["nothing at all", "{}", /no combination/],
    ["257 combinations", JSON.stringify({ a: list(257) }), /has 257 combinations; GitHub allows 256/],
    ["a billion combinations", JSON.stringify({ a: list(1000), b: list(1000), c: list(1000) }), /far more .* 256/],
    ["a name that no variable can have", '{"a b": [1]}', /"a b" can't be the name/],
    ["a value of two lines", '{"a": ["x\\nLD_PRELOAD=y"]}', /value of a has more than one line/],
    ["include that is no list", '{"a": [1], "include": {"b": 1}}', /include and exclude must be lists/],
  ])("of %s is refused", (_, matrix, sentence) => {
    const { status, annotations, outputs } = plan({ matrix });
    expect(status).toBe(1);
    expect(annotations).toHaveLength(1);
    expect(annotations[0]).toMatch(/^::error title=[^:]+::.* Nothing was rented\.$/);
    expect(annotations[0]).toMatch(sentence);
    expect(outputs.go).toBeUndefined();
  });

  test("of 256 combinations is taken", () => {
    expect(jobsOf({ a: list(16), b: list(16) })).toHaveLength(256);
  });
});

describe("a call is refused in one annotation", () => {
  test.each<[string, Partial<typeof CALL>, RegExp]>([
    ["an empty run", { run: " \n" }, /run is empty/],
    ["a run that no variable holds", { run: "x".repeat(65_537) }, /run is longer than 64 KB/],
    ["an absolute path", { artifacts: "out\n/etc/passwd" }, /"\/etc\/passwd" is outside of the work folder/],
    ["a path that climbs out", { artifacts: "out/../../other" }, /is outside of the work folder/],
    ["a path of the home", { artifacts: "~/.ssh" }, /is outside of the work folder/],
    ["a path that climbs out, left out", { artifacts: "!../x" }, /is outside of the work folder/],
    ["too long a job", { "timeout-minutes": "301" }, /timeout-minutes must be from 1 to 300/],
    ["no time", { "timeout-minutes": "0" }, /timeout-minutes must be from 1 to 300/],
    ["a name that no label has", { name: "CUDA 12" }, /name must be up to 24 small letters/],
    ["five jobs a machine", { "jobs-per-machine": "5" }, /jobs-per-machine must be from 1 to 4/],
    ["a machine kept for no known time", { "keep-failed": "soon" }, /keep-failed must be a duration/],
    [
      "a machine that would live for more than a day",
      { "timeout-minutes": "300", "jobs-per-machine": "4", "keep-failed": "3h51m" },
      /keep-failed must be at most 230m with this timeout-minutes and jobs-per-machine/,
    ],
    ["no key", { "has-api-key": "false" }, /api-key is empty/],
    ["no token", { "has-runner-token": "false" }, /runner-token is empty/],
    ["an app without its key", { "app-client-id": "Iv1.x" }, /app-private-key is empty/],
    [
      "another owner",
      { "workflow-repository": "acme/ephemeral-gpu-runner" },
      /Fork acme\/ephemeral-gpu-runner into octo/,
    ],
  ])("with %s", (_, inputs, sentence) => {
    const { status, annotations } = plan(inputs);
    expect(status).toBe(1);
    expect(annotations).toHaveLength(1);
    expect(annotations[0]).toMatch(sentence);
  });

  test("but not where its machine may live for exactly a day", () => {
    const { outputs } = plan({ "timeout-minutes": "300", "jobs-per-machine": "4", "keep-failed": "3h50m" });
    expect(outputs["max-lifetime"]).toBe("1440m");
  });

  test("with all that is wrong with it", () => {
    const { annotations } = plan({ run: "", matrix: "x", artifacts: "/", "has-api-key": "false" });
    expect(annotations).toHaveLength(1);
    for (const word of [/run is empty/, /matrix is no JSON/, /outside/, /api-key is empty/])
      expect(annotations[0]).toMatch(word);
  });

  test("as pull_request_target", () => {
    expect(plan({}, { event: "pull_request_target" })).toMatchObject({
      status: 1,
      annotations: [expect.stringMatching(/fork's code/)],
    });
  });
});

describe("what looks wrong and is not", () => {
  test("paths below the work folder", () => {
    expect(plan({ artifacts: "out/**\n!out/tmp\n./a/../b\n..results" }).status).toBe(0);
  });

  test("no secrets with an environment: the job that names it has them", () => {
    expect(plan({ environment: "gpu", "has-api-key": "false", "has-runner-token": "false" }).status).toBe(0);
  });

  test("another owner of the same enterprise", () => {
    expect(plan({ "workflow-repository": "acme/x", "same-enterprise": "true" }).status).toBe(0);
  });

  test("a platform that does not say whose workflow it is", () => {
    expect(plan({ "workflow-repository": "" }).status).toBe(0);
  });
});

describe("more jobs than fit into the time of the job that rents", () => {
  const shards = (length: number) => JSON.stringify({ shard: Array.from({ length }, (_, index) => index) });

  test("are reported before anything is rented, with what to change", () => {
    const { status, annotations, outputs } = plan({ matrix: shards(8), "timeout-minutes": "200" });
    expect(status).toBe(0);
    expect(annotations).toEqual([
      expect.stringMatching(
        /^::warning title=[^:]+::8 GPU jobs on 4 machines take 2 rounds: up to 400 minutes .*ends after 350\..* machines: 8,/,
      ),
    ]);
    expect(outputs).toMatchObject({ go: "true", jobs: "8" });
  });

  test.each<[string, Partial<typeof CALL>]>([
    ["on as many machines", { matrix: shards(8), machines: "8", "timeout-minutes": "200" }],
    ["of less time", { matrix: shards(8), "timeout-minutes": "150" }],
    ["one wave of the longest", { matrix: shards(4), "timeout-minutes": "300" }],
    ["on a number of machines that the action refuses", { matrix: shards(99), machines: "many" }],
  ])("are not those %s", (_, call) => {
    expect(plan(call)).toMatchObject({ status: 0, annotations: [] });
  });

  test("say that no number of machines is enough, where 16 are too few", () => {
    const { annotations } = plan({ matrix: shards(64), machines: "16", "timeout-minutes": "120" });
    expect(annotations).toEqual([expect.stringMatching(/64 GPU jobs on 16 machines take 4 rounds.*several calls/)]);
    expect(annotations[0]).not.toContain("machines: ");
  });
});

describe("max-cost and the time that a GPU job may take", () => {
  test.each([
    ["0.5", "0.6", "60", "pays one machine at max-price (0.6 USD an hour) for 50 minutes, and a GPU job may take 60"],
    ["0.05", "0.6", "30", "Raise max-cost to 0.3 or more"],
  ])("%s USD at %s USD an hour for %s minutes is warned of before anything is rented", (cost, price, minutes, says) => {
    const call = { "max-cost": cost, "max-price": price, "timeout-minutes": minutes };
    expect(plan(call)).toMatchObject({ status: 0, annotations: [expect.stringContaining(says)] });
  });

  test.each([
    ["0.6", "0.6", "60"],
    ["", "0.6", "60"],
    ["much", "0.6", "60"],
  ])("%j USD at %s USD an hour for %s minutes is not", (cost, price, minutes) => {
    const call = { "max-cost": cost, "max-price": price, "timeout-minutes": minutes };
    expect(plan(call)).toMatchObject({ status: 0, annotations: [] });
  });
});

describe("a run without secrets by GitHub's rules is green, rents nothing, and says so", () => {
  test.each<[string, Run]>([
    ["a fork's pull request", { event: "pull_request", head: "eve/gpu-lib" }],
    ["one whose fork was deleted", { event: "pull_request", head: null }],
    ["a review of one whose fork was deleted", { event: "pull_request_review", head: null }],
    ["Dependabot", { actor: "dependabot[bot]" }],
  ])("%s", (_, run) => {
    const { status, annotations, outputs } = plan({ "has-api-key": "false", "has-runner-token": "false" }, run);
    expect(status).toBe(0);
    expect(annotations).toEqual([
      expect.stringMatching(
        /^::notice title=No GPU jobs::.* a maintainer reads it and pushes its branch to this repository/,
      ),
    ]);
    expect(outputs.go).toBe("false");
  });

  test("but a pull request of the repository itself, a fork or not, runs", () => {
    expect(plan({}, { event: "pull_request", head: "octo/gpu-lib" }).outputs.go).toBe("true");
  });
});
