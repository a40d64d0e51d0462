import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
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

async function asking(scenario: RegistryScenario, given: Partial<AskImageOptions> & { image?: string } = {}) {
  await using registry = await startRegistry({ images: IMAGES, ...scenario });
  const { image = "octo/image:1", login = "", ...others } = given;
  const options = { log, signal: cancel.signal, login: login.replace("HOST", registry.host), ...others };
  const answer = await askImage(`${registry.host}/${image}`, options);
  return { answer, bytes: answer.kind === "found" ? answer.bytes : undefined, requests: registry.requests };
}

const LOGIN = `-u ${OCTO.username} -p ${OCTO.token} HOST`;

describe("the size", () => {
  test("by tag, an index, linux/amd64 of it, with a token that anybody gets", async () => {
    const { bytes, requests } = await asking({});
    expect(bytes).toBe(BYTES);
    expect(requests.map(({ path, authorization }) => `${path.replace(/[0-9a-f]{64}/, "…")} ${authorization}`)).toEqual([
      "/v2/octo/image/manifests/1 ",
      "/token ",
      "/v2/octo/image/manifests/1 Bearer",
      "/v2/octo/image/manifests/sha256:… Bearer",
    ]);
    expect(log.lines).toEqual([]);
  });

  test("of an image for one platform", async () => {
    const { bytes, requests } = await asking({ form: "manifest" });
    expect(bytes).toBe(BYTES);
    expect(requests.map(({ path }) => path.replace(/[0-9a-f]{64}/, "…"))).toEqual([
      "/v2/octo/image/manifests/1",
      "/token",
      "/v2/octo/image/manifests/1",
      "/v2/octo/image/blobs/sha256:…",
    ]);
  });

  test("of a private image, with its login; the token that comes of it is masked", async () => {
    const masked: string[] = [];
    const mask = (secret: string) => void masked.push(secret);
    const { bytes, requests } = await asking({ login: OCTO }, { login: LOGIN, mask });
    expect(bytes).toBe(BYTES);
    expect(requests[1]).toEqual({ path: "/token", authorization: "Basic" });
    const basic = Buffer.from(`${OCTO.username}:${OCTO.token}`).toString("base64");
    expect(masked).toEqual([basic, expect.stringMatching(/^\S{32}$/)]);
  });

  test("of a registry that asks for the login itself", async () => {
    const { bytes, requests } = await asking({ login: OCTO, asks: "login" }, { login: LOGIN });
    expect(bytes).toBe(BYTES);
    expect(requests.map(({ authorization }) => authorization)).toEqual(["", "Basic", "Basic"]);
  });
});

test("a login goes to its own registry only", async () => {
  const login = `-u ${OCTO.username} -p ${OCTO.token} ghcr.io`;
  const { bytes, requests } = await asking({}, { login });
  expect(bytes).toBe(BYTES);
  expect(requests.map(({ authorization }) => authorization)).not.toContain("Basic");
});

describe("is not known, which is one line in the log and no error", () => {
  test.each<[string, RegistryScenario, string]>([
    ["a status", { fault: { kind: "status", status: 500 } }, "its registry answered 500"],
    ["not found", { fault: { kind: "status", status: 404 } }, "its registry answered 404"],
    ["too many", { fault: { kind: "status", status: 429 } }, "its registry answered 429"],
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
  ])("%s", async (_what, scenario, why) => {
    expect((await asking(scenario)).answer).toEqual({ kind: "unknown" });
    expect(log.lines).toEqual([expect.stringContaining(`The size of the image is not known: ${why}`)]);
  });

  test("an answer that never ends", async () => {
    expect((await asking({ fault: { kind: "never-end" } }, { withinMs: 200 })).answer).toEqual({ kind: "unknown" });
    expect(log.lines).toEqual(["The size of the image is not known: no answer in time."]);
  });

  test("a tag that the service picks", async () => {
    const { answer, requests } = await asking({}, { image: "octo/image:@vastai-automatic-tag" });
    expect([answer, requests]).toEqual([{ kind: "unknown" }, []]);
    expect(log.lines).toEqual([expect.stringContaining("the service picks the tag by the host, so how long it takes")]);
  });

  test("a redirect is not followed, least of all with a login", async () => {
    const { bytes, requests } = await asking({ login: OCTO, fault: { kind: "redirect" } }, { login: LOGIN });
    expect(bytes).toBeUndefined();
    expect(requests).toHaveLength(1);
    const toToken = await asking({ login: OCTO, fault: { on: "token", kind: "redirect" } }, { login: LOGIN });
    expect(toToken.requests.map(({ path }) => path)).toEqual(["/v2/octo/image/manifests/1", "/token"]);
  });

  test("an answer that does not come", async () => {
    expect((await asking({ fault: { kind: "never-answer" } }, { withinMs: 50 })).bytes).toBeUndefined();
    expect(log.lines).toEqual(["The size of the image is not known: no answer in time."]);
  });

  test("a registry that is not there", async () => {
    const options = { login: "", log, signal: cancel.signal };
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    expect(await askImage(`127.0.0.1:${port}/a/b:1`, options)).toEqual({ kind: "unknown" });
    expect(log.lines).toEqual([expect.stringContaining("ECONNREFUSED")]);
  });

  test("a name that is none", async () => {
    expect(await askImage("a/../b", { login: "", log, signal: cancel.signal })).toEqual({ kind: "unknown" });
    expect(log.lines).toEqual([expect.stringContaining("its name is none that a registry can have")]);
  });
});

test("an image that is not there is so by the registry's own word, and one line in the log", async () => {
  expect((await asking({ missing: { "octo/image": 1 } })).answer).toEqual({
    kind: "missing",
    word: "MANIFEST_UNKNOWN",
  });
  expect(log.lines).toEqual([expect.stringContaining("its registry has no such image (MANIFEST_UNKNOWN)")]);
});

describe("an image for other platforms alone is one that the registry does not have", () => {
  test("by its index", async () => {
    const { answer } = await asking({ platforms: ["linux/arm64", "unknown/unknown"] });
    expect(answer).toEqual({ kind: "missing", word: "only for linux/arm64" });
    expect(log.lines).toEqual([expect.stringContaining("it has no image for linux/amd64, only for linux/arm64.")]);
  });

  const arm = { os: "linux", architecture: "arm64" };
  const found = { kind: "found", bytes: BYTES };

  test.each(["here", "elsewhere"] as const)("by its configuration where there is no index, %s", async (blobs) => {
    const scenario = { form: "manifest", blobs, login: OCTO } as const;
    const { answer, requests } = await asking({ ...scenario, configuration: arm }, { login: LOGIN });
    expect(answer).toEqual({ kind: "missing", word: "only for linux/arm64" });
    const last = requests.at(-1);
    // The place behind a redirect gets no authorization.
    expect(last?.authorization).toBe(blobs === "here" ? "Bearer" : "");
    expect((await asking(scenario, { login: LOGIN })).answer).toEqual(found);
  });

  test.each<[string, unknown]>([
    ["a list", []],
    ["nothing", null],
    ["no platform", { config: {} }],
    ["a word that nobody knows", { os: "linux", architecture: "x86_64" }],
    ["an architecture that is no text", { os: "linux", architecture: 64 }],
    ["a long word", { os: "linux", architecture: "arm64".repeat(1000) }],
  ])("a configuration that says %s proves nothing, and the size stays", async (_what, configuration) => {
    expect((await asking({ form: "manifest", configuration })).answer).toEqual(found);
    expect(log.lines).toEqual([]);
  });

  test.each(["status", "wrong-type", "junk", "nonsense", "endless", "cut", "redirect"] as const)(
    "a configuration that can't be had (%s) proves nothing, and the size stays",
    async (kind) => {
      const fault = { on: "config", kind } as const;
      expect((await asking({ form: "manifest", configuration: arm, fault })).answer).toEqual(found);
      expect(log.lines).toEqual([]);
    },
  );

  test.each(["never-answer", "never-end"] as const)("nor one that does not come in time (%s)", async (kind) => {
    const fault = { on: "config", kind } as const;
    expect((await asking({ form: "manifest", fault }, { withinMs: 500 })).answer).toEqual(found);
    expect(log.lines).toEqual([]);
  });
});

describe("401 and 403 are a refusal", () => {
  test.each<[string, RegistryScenario, string, number, string]>([
    ["no login", { login: OCTO }, "", 401, "its registry gave no token (401)"],
    ["no login, asked for itself", { login: OCTO, asks: "login" }, "", 401, "its registry wants a login"],
    ["a wrong login", { login: { ...OCTO, token: "another" } }, LOGIN, 401, "its registry gave no token (401)"],
    ["asked for itself", { login: { ...OCTO, token: "x" }, asks: "login" }, LOGIN, 401, "its registry answered 401"],
    ["no right to pull", { fault: { kind: "status", status: 403 } }, LOGIN, 403, "its registry answered 403"],
    ["no right to a token", { fault: { on: "token", kind: "status", status: 403 } }, "", 403, "no token (403)"],
  ])("%s", async (_what, scenario, login, status, why) => {
    expect((await asking(scenario, { login })).answer).toEqual({ kind: "refused", status });
    expect(log.lines).toEqual([expect.stringContaining(why)]);
  });
});

test("a cancel stops the question without a word", async () => {
  cancel.abort(new Error("cancelled"));
  expect((await asking({ fault: { kind: "never-answer" } })).bytes).toBeUndefined();
  expect(log.lines).toEqual([]);
});
