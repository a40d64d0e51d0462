import { beforeEach, describe, expect, test } from "vitest";
import { startRegistry } from "../../simulator/registry/start-registry.ts";
import type { RegistryScenario } from "../../simulator/scenario/scenario.ts";
import { type AskImageOptions, askImage } from "../../src/image/image-size.ts";
import { RecordedLog } from "../unit/support/recorded-log.ts";

const BYTES = 1_234_567_890;
const IMAGES = { "octo/image": BYTES };
const OCTO = { username: "octo", token: "the-token-of-octo" };

let log: RecordedLog;
let cancel: AbortController;

beforeEach(() => {
  log = new RecordedLog();
  cancel = new AbortController();
});

/** Asks a registry of this scenario for an image; the requests without the hash that ends them. */
async function asking(scenario: RegistryScenario, given: Partial<AskImageOptions> & { image?: string } = {}) {
  await using registry = await startRegistry({ images: IMAGES, ...scenario });
  const { image = "octo/image:1", login = "", ...others } = given;
  const { host, requests } = registry;
  const options = { log, signal: cancel.signal, login: login.replace("HOST", host), ...others };
  const answer = await askImage(`${host}/${image}`, options);
  const asked = requests.map(({ path, authorization }) => `${path} ${authorization}`.replace(/[0-9a-f]{64}/, "…"));
  return { answer, asked };
}

const LOGIN = `-u ${OCTO.username} -p ${OCTO.token} HOST`;
const FOUND = { kind: "found", bytes: BYTES };
const UNKNOWN = { kind: "unknown" };
const FIRST = "/v2/octo/image/manifests/1";

describe("the size", () => {
  const BY_DIGEST = "/v2/octo/image/manifests/sha256:…";
  const WITH_TOKEN = [`${FIRST} `, "/token ", `${FIRST} Bearer`];
  const BY_LOGIN = [`${FIRST} `, `${FIRST} Basic`, `${BY_DIGEST} Basic`];
  const ELSEWHERE = LOGIN.replace("HOST", "ghcr.io");
  test.each<[string, RegistryScenario, login: string, asked: string[]]>([
    ["by tag, an index, linux/amd64 of it, with anybody's token", {}, "", [...WITH_TOKEN, `${BY_DIGEST} Bearer`]],
    ["without a login that is another registry's", {}, ELSEWHERE, [...WITH_TOKEN, `${BY_DIGEST} Bearer`]],
    ["for one platform", { form: "manifest" }, "", [...WITH_TOKEN, "/v2/octo/image/blobs/sha256:… Bearer"]],
    ["by the login itself", { login: OCTO, asks: "login" }, LOGIN, BY_LOGIN],
  ])("%s", async (_what, scenario, login, asked) => {
    expect(await asking(scenario, { login })).toEqual({ answer: FOUND, asked });
    expect(log.lines).toEqual([]);
  });

  test("of a private image, with its login; the token that comes of it is masked", async () => {
    const masked: string[] = [];
    const mask = (secret: string) => void masked.push(secret);
    const { answer, asked } = await asking({ login: OCTO }, { login: LOGIN, mask });
    expect([answer, asked[1]]).toEqual([FOUND, "/token Basic"]);
    const basic = Buffer.from(`${OCTO.username}:${OCTO.token}`).toString("base64");
    expect(masked).toEqual([basic, expect.stringMatching(/^\S{32}$/)]);
  });
});

describe("is not known, which is one line in the log and no error", () => {
  test.each<[string, RegistryScenario, why: string, given?: Parameters<typeof asking>[1]]>([
    ["a status", { fault: { kind: "status", status: 500 } }, "its registry answered 500"],
    ["not found", { fault: { kind: "status", status: 404 } }, "its registry answered 404"],
    ["a page", { fault: { kind: "wrong-type" } }, "its registry answered with something else"],
    ["junk", { fault: { kind: "junk" } }, "the answer is no manifest"],
    ["nonsense", { fault: { kind: "nonsense" } }, "the answer is no manifest"],
    ["more than a megabyte", { fault: { kind: "endless" } }, "Response content exceeded max size"],
    ["an index of a thousand indexes, one in the other", { fault: { kind: "deep" } }, "the answer is no manifest"],
    ["a cut", { fault: { kind: "cut" } }, "other side closed"],
    ["no token", { fault: { on: "token", kind: "status", status: 503 } }, "its registry gave no token (503)"],
    ["a token that is none", { fault: { on: "token", kind: "nonsense" } }, "its registry gave no token (200)"],
    ["platforms that nobody knows", { platforms: ["plan10/risc9"] }, "its index names no image for linux/amd64"],
    ["an unsafe realm", { realm: "http://auth.example/token" }, "its registry asks for a login in a way"],
    ["an answer that never ends", { fault: { kind: "never-end" } }, "no answer in time.", { withinMs: 200 }],
    ["an answer that does not come", { fault: { kind: "never-answer" } }, "no answer in time.", { withinMs: 50 }],
    ["a tag that the service picks", {}, "the service picks the tag by the host", { image: "a:@vastai-automatic-tag" }],
    ["a name that is none", {}, "its name is none that a registry can have", { image: "a/../b" }],
  ])("%s", async (_what, scenario, why, given) => {
    expect((await asking(scenario, given)).answer).toEqual(UNKNOWN);
    expect(log.lines).toEqual([expect.stringContaining(`The size of the image is not known: ${why}`)]);
  });

  test("a redirect is not followed, least of all with a login", async () => {
    const { answer, asked } = await asking({ login: OCTO, fault: { kind: "redirect" } }, { login: LOGIN });
    expect([answer, asked]).toEqual([UNKNOWN, [`${FIRST} `]]);
    const toToken = await asking({ login: OCTO, fault: { on: "token", kind: "redirect" } }, { login: LOGIN });
    expect(toToken.asked).toEqual([`${FIRST} `, "/token Basic"]);
  });

  test("a registry that is not there", async () => {
    const gone = await startRegistry({});
    await gone[Symbol.asyncDispose]();
    expect(await askImage(`${gone.host}/a/b:1`, { login: "", log, signal: cancel.signal })).toEqual(UNKNOWN);
    expect(log.lines).toEqual([expect.stringContaining("ECONNREFUSED")]);
  });
});

const OTHERS = { platforms: ["linux/arm64", "unknown/unknown"] };
const NONE = { missing: { "octo/image": 1 } };
test.each<[string, RegistryScenario, word: string, line: string]>([
  ["that is not there", NONE, "MANIFEST_UNKNOWN", "its registry has no such image (MANIFEST_UNKNOWN)"],
  ["for others alone", OTHERS, "only for linux/arm64", "it has no image for linux/amd64, only for linux/arm64."],
])("an image %s is missing, which is one line in the log", async (_what, scenario, word, line) => {
  expect((await asking(scenario)).answer).toEqual({ kind: "missing", word });
  expect(log.lines).toEqual([expect.stringContaining(line)]);
});

describe("the configuration of an image without an index", () => {
  const arm = { os: "linux", architecture: "arm64" };

  test.each(["here", "elsewhere"] as const)("proves that it is for another platform, %s", async (blobs) => {
    const scenario = { form: "manifest", blobs, login: OCTO } as const;
    const { answer, asked } = await asking({ ...scenario, configuration: arm }, { login: LOGIN });
    expect(answer).toEqual({ kind: "missing", word: "only for linux/arm64" });
    // The place behind a redirect gets no authorization.
    expect(asked.at(-1)?.endsWith(blobs === "here" ? " Bearer" : " ")).toBe(true);
    expect((await asking(scenario, { login: LOGIN })).answer).toEqual(FOUND);
  });

  const FAULTS = ["status", "wrong-type", "endless", "cut", "redirect", "never-answer", "never-end"] as const;
  test.each<[string, RegistryScenario]>([
    ["a list", { configuration: [] }],
    ["no platform", { configuration: { config: {} } }],
    ["a word that nobody knows", { configuration: { os: "linux", architecture: "x86_64" } }],
    ["an architecture that is no text", { configuration: { os: "linux", architecture: 64 } }],
    ...FAULTS.map((kind): [string, RegistryScenario] => [kind, { configuration: arm, fault: { on: "config", kind } }]),
  ])("proves nothing where it is %s, and the size stays", async (_what, scenario) => {
    expect((await asking({ form: "manifest", ...scenario }, { withinMs: 500 })).answer).toEqual(FOUND);
    expect(log.lines).toEqual([]);
  });
});

test.each<[string, RegistryScenario, string, number, string]>([
  ["no login", { login: OCTO }, "", 401, "its registry gave no token (401)"],
  ["no login, asked for itself", { login: OCTO, asks: "login" }, "", 401, "its registry wants a login"],
  ["a wrong login", { login: { ...OCTO, token: "another" } }, LOGIN, 401, "its registry gave no token (401)"],
  ["asked for itself", { login: { ...OCTO, token: "x" }, asks: "login" }, LOGIN, 401, "its registry answered 401"],
  ["no right to pull", { fault: { kind: "status", status: 403 } }, LOGIN, 403, "its registry answered 403"],
  ["no right to a token", { fault: { on: "token", kind: "status", status: 403 } }, "", 403, "no token (403)"],
])("401 and 403 are a refusal: %s", async (_what, scenario, login, status, why) => {
  expect((await asking(scenario, { login })).answer).toEqual({ kind: "refused", status });
  expect(log.lines).toEqual([expect.stringContaining(why)]);
});

test("a cancel stops the question without a word", async () => {
  cancel.abort(new Error("cancelled"));
  expect((await asking({ fault: { kind: "never-answer" } })).answer).toEqual(UNKNOWN);
  expect(log.lines).toEqual([]);
});
