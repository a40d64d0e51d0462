import { afterEach, expect, test, vi } from "vitest";
import { FailFastError, InputError, NoSecretsError } from "../../../../src/action/inputs/errors.ts";
import { checkedInputs, checkServiceInputs, readInputs as readGiven } from "../../../../src/action/inputs/read.ts";
import { unknownInputs, unknownLine } from "../../../../src/action/inputs/unknown.ts";
import { stepOutput } from "../../support/step-output.ts";

const SECRETS = {
  "api-key": "the-api-key-is-secret",
  "github-token": "the-github-token-is-secret",
  "job-token": "the-job-token-is-secret",
};
const NEEDED = { ...SECRETS, "max-price": "0.60", "max-cost": "2", image: "debian:13" };

const NONE = "Nothing was rented.";

const printed = stepOutput();

/** As main reads them. */
const readInputs = () => checkedInputs(readGiven());

afterEach(() => {
  vi.unstubAllEnvs();
});

/** As the runner hands inputs to a step. */
function give(inputs: Record<string, string>): void {
  for (const [name, value] of Object.entries(inputs)) vi.stubEnv(`INPUT_${name.toUpperCase()}`, value);
}

/** The error thrown, as it will be printed.text. */
function faultOf(read: () => unknown): Error & { hint?: string } {
  try {
    read();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error("Nothing was thrown.");
}

test("reads what the runner hands over, and can't be changed afterwards", () => {
  give({ ...NEEDED, "num-gpus": "2" });
  const inputs = readInputs();
  expect(inputs).toMatchObject({ numGpus: 2, maxPrice: 0.6, hold: true });
  expect(Object.isFrozen(inputs)).toBe(true);
});

test("masks every secret, once", () => {
  const secrets = { "api-key": "another-api-key", "github-token": "another-gh-token", "job-token": "another-token" };
  give({ ...NEEDED, ...secrets });
  readInputs();
  readInputs();
  expect(printed.text.match(/another-/g)).toHaveLength(3);
  for (const secret of Object.values(secrets)) expect(printed.text).toContain(`::add-mask::${secret}`);
  // Short ones would hide half of the log, and drop outputs.
  give({ "job-token": "gpu" });
  readInputs();
  expect(printed.text).not.toContain("::add-mask::gpu");
});

test("all faults at once: what each must be, and what it got", () => {
  give({ ...NEEDED, "max-price": "free", image: "", "boot-timeout": "10" });
  const error = faultOf(readInputs);
  expect(error).toBeInstanceOf(InputError);
  expect(error.message.split("\n")).toEqual([
    "3 inputs are wrong: max-price, boot-timeout, image. Nothing was rented.",
    '- max-price: must be a number from 0.001 to 1000 USD per hour, got "free"',
    '- boot-timeout: has no unit; must be auto or a duration from 30s to 2h, written like 90s, 10m, 2h or 1h30m, got "10"',
    "- image: must be a container image, such as pytorch/pytorch:2.8.0-cuda12.8-cudnn9-runtime, or a template (template-name or template-hash-id) that brings one, got nothing",
  ]);
});

test.each([
  ["max_cost", "max-cost"],
  ["max-trafic-prize", "max-traffic-price"],
])("%s is refused, as %s is meant; its value is not shown", (name, meant) => {
  give({ ...NEEDED, [name]: "hidden-value" });
  expect(faultOf(readInputs)).toEqual(new InputError([{ name, wrong: `is no input, write ${meant}` }], NONE));
  // Post reads the same, and must destroy.
  expect(() => checkServiceInputs(readGiven(), "ghr1")).not.toThrow();
});

test.each([
  ["below seven letters", "api_key"],
  ["without a hyphen", "geolocations"],
  ["three letters off", "max-costing"],
  ["a megabyte", `max-${"x".repeat(100_000)}`],
])("a name that is no slip of ours is no fault: %s", (_what, name) => {
  give({ ...NEEDED, [name]: "1" });
  expect(() => readInputs()).not.toThrow();
  expect(unknownLine(unknownInputs(process.env))).toContain(name.slice(0, 100));
});

test("what there was once is refused by its name, with what to write instead; left empty it is no fault", () => {
  give({ ...NEEDED, history: "hosts.json", "volume-size": "30", "volume-create-new": "" });
  expect(faultOf(readInputs).message.split("\n")).toEqual([
    "2 inputs are wrong: volume-size, history. Nothing was rented.",
    '- volume-size: is gone with volume-create-new, leave the line out: `volume-id: ID` gives a volume as it is, got "30"',
    '- history: names a file, which is gone, as it needed a cache in the job that holds the keys (leave the line out, and the steps that restore and save the file); must be true or false, got "hosts.json"',
  ]);
  checkServiceInputs(readGiven(), "ghr1.1.4711-1.abcdef");
});

test("a secret that is wrong is masked before the fault, and not shown in it", () => {
  give({ ...NEEDED, "github-token": "a token with blanks" });
  expect(faultOf(readInputs).message).toContain(", got something that is not shown");
  expect(printed.text).toContain("::add-mask::a token with blanks");
});

test.each([
  [{ env: "PATH=/opt/bin" }, /^One input is wrong: env\. Nothing was rented\.\n- env: sets PATH, .* in the image$/],
  [{ hold: "no\n::error::x" }, /^.*\n- hold: must be true or false, got "no ::error::x"$/],
])("a value that was given is shown in its line, unless it may be a secret: %j", (given, message) => {
  give({ ...NEEDED, ...given });
  expect(faultOf(readInputs).message).toMatch(message);
});

test("of a login the token is masked by itself, too, and the registry's name never", () => {
  give({ ...NEEDED, "image-login": "-u octo-cat -p t0ken-of-the-registry registry.example" });
  readInputs();
  expect(printed.text).toContain("::add-mask::-u octo-cat -p t0ken-of-the-registry registry.example\n");
  expect(printed.text).toContain("::add-mask::t0ken-of-the-registry\n");
  expect(printed.text).not.toContain("::add-mask::registry.example");
});

test.each(["api-key", "github-token"])("no %s is its own error: the run has no secrets", (name) => {
  give({ ...NEEDED, [name]: "", "max-price": "free" });
  const error = faultOf(readInputs);
  expect(error).toBeInstanceOf(NoSecretsError);
  expect(error.message).toBe(`${name} is empty: this run has no secrets, or none of that name. ${NONE}`);
  expect(error.hint).toMatch(new RegExp(`\`if:\`.*create the secret that the workflow gives to ${name}\\.`));
});

test.each([
  [{}, { machines: 4, machinesPerRepository: 8 }],
  [{ "volume-id": "81", "volume-mount-path": "/data" }, { machines: 1 }],
  // No session waits for a machine of its own.
  [{ machines: "16" }, { machinesPerRepository: 16 }],
  [{ machines: "16", "machines-per-repository": "3" }, { machinesPerRepository: 3 }],
])("how many machines there may be: %j", (given, expected) => {
  give({ ...NEEDED, ...given });
  expect(readInputs()).toMatchObject(expected);
});

test.each([
  ["true", "3", true],
  ["true", "1", false],
])("a matrix with fail-fast: %s, of %s jobs: refused is %s", (isOn, jobs, isRefused) => {
  give({ ...NEEDED, "strategy-fail-fast": isOn, "strategy-job-total": jobs });
  if (isRefused) expect(faultOf(readInputs)).toEqual(new FailFastError(3, NONE));
  else expect(readInputs().hold).toBe(true);
});

test("post's inputs: a GitHub token that is gone does not keep post from destroying", () => {
  give({ ...NEEDED, "github-token": "", "job-token": "", "job-status": "cancelled", "max-price": "free" });
  const given = readGiven();
  expect(() => checkServiceInputs(given, "ghr1.1.2-1.abcdef")).not.toThrow();
  expect(given.lenient.apiKey).toBe(SECRETS["api-key"]);
  expect(given.lenient.apiUrl).toBe("https://console.vast.ai");
});

test.each([
  ["the key is gone", { "api-key": "" }],
  ["the address is wrong", { "api-url": "http://console.vast.ai" }],
])("post's inputs: when %s, says what may still bill", (_what, inputs) => {
  give({ ...NEEDED, ...inputs });
  expect(faultOf(() => checkServiceInputs(readGiven(), "ghr1.1.2-1.abcdef")).message).toMatch(
    /label begins with ghr1\.1\.2-1\.abcdef may still be billing/,
  );
});

test("the inputs that say what becomes of a run are read whatever is wrong with the others", () => {
  give({ ...NEEDED, "max-price": "free", name: "second", "if-no-machine": "cancel", "job-status": "failure" });
  const given = readGiven();
  expect(given.lenient).toMatchObject({
    ...{ githubToken: SECRETS["github-token"], name: "second", check: false, runnerGroupId: 1 },
    ...{ ifNoMachine: "cancel", jobStatus: "failure" },
  });
  expect([given.isGood("name"), given.isGood("max-price")]).toEqual([true, false]);
});

test("the inputs that say what becomes of a run count as not given where they are wrong themselves", () => {
  give({ "if-no-machine": "perhaps", name: "No Good", "github-token": "a b", "job-status": "success" });
  const given = readGiven();
  expect(given.lenient).toMatchObject({ ifNoMachine: "auto", githubToken: "", jobToken: "", name: "" });
  expect(given.isGood("name")).toBe(false);
});
