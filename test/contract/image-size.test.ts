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
    expect(requests).toHaveLength(3);
  });

  test("of a private image, with its login; the token that comes of it is masked", async () => {
    const masked: string[] = [];
    const mask = (secret: string) => void masked.push(secret);
    const { bytes, requests } = await asking({ login: OCTO }, { login: LOGIN, mask });
    expect(bytes).toBe(BYTES);
    expect(requests[1]).toEqual({ path: "/token", authorization: "Basic" });
    expect(masked).toEqual([expect.stringMatching(/^\S{32}$/)]);
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
    ["a cut", { fault: { kind: "cut" } }, "other side closed"],
    ["no token", { fault: { on: "token", kind: "status", status: 503 } }, "its registry gave no token (503)"],
    ["a token that is none", { fault: { on: "token", kind: "nonsense" } }, "its registry gave no token (200)"],
    ["no login", { login: OCTO }, "its registry gave no token (401)"],
    ["no login, asked for itself", { login: OCTO, asks: "login" }, "its registry wants a login"],
    ["another platform", { platforms: ["linux/arm64"] }, "it has no image for linux/amd64"],
    ["an unsafe realm", { realm: "http://auth.example/token" }, "its registry asks for a login in a way"],
  ])("%s", async (_what, scenario, why) => {
    expect((await asking(scenario)).answer).toEqual({ kind: "unknown" });
    expect(log.lines).toEqual([expect.stringContaining(`The size of the image is not known: ${why}`)]);
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

test("a cancel stops the question without a word", async () => {
  cancel.abort(new Error("cancelled"));
  expect((await asking({ fault: { kind: "never-answer" } })).bytes).toBeUndefined();
  expect(log.lines).toEqual([]);
});
