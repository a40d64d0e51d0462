import { describe, expect, test } from "vitest";
import { secretHider } from "../../../src/machine/log.ts";

const JIT = Buffer.from('{".runner":"…",".credentials":"…"}'.repeat(20)).toString("base64");

describe("the values of the machine's environment", () => {
  test("the runner configuration, whole", () => {
    expect(secretHider({ GHR_JIT: JIT })(`./run.sh --jitconfig ${JIT}`)).toBe("./run.sh --jitconfig [GHR_JIT]");
  });

  test.each(["GHR_JIT", "GHR_JIT_2", "GHR_JIT_3", "GHR_JIT_4"])("a configuration that is no long word: %s", (name) => {
    expect(secretHider({ [name]: "one.two.three" })("it is one.two.three")).toBe(`it is [${name}]`);
  });

  test.each([
    ["the user's own variables", { HF_HOME: "/data/models" }, "cd /data/models/x", "cd [HF_HOME]/x"],
    ["a short one whose name says that it is a secret", { API_KEY: "hunt" }, "key hunt", "key [API_KEY]"],
    ["not a short word", { MODE: "fast" }, "fast and good", "fast and good"],
    ["not an empty one", { API_KEY: "" }, "key", "key"],
    ["a value that holds another", { A_TOKEN: "abcdefgh", B_TOKEN: "abcdefghij" }, "abcdefghij", "[B_TOKEN]"],
    ["each line of a value", { PEM_KEY: "first line\nsecond line" }, "x second line y", "x [PEM_KEY] y"],
    ["characters that mean something elsewhere", { PASSWORD: "a$&b(.*" }, "is a$&b(.*!", "is [PASSWORD]!"],
    [
      "not the script's own addresses",
      { GHR_API_URL: "https://x.example" },
      "PUT https://x.example",
      "PUT https://x.example",
    ],
  ])("%s", (_what, env, text, hidden) => {
    expect(secretHider(env)(text)).toBe(hidden);
  });
});

describe("long words that look like a key", () => {
  const KEY = "0123456789abcdef".repeat(4);

  test.each([
    ["the instance's own key", `CONTAINER_API_KEY=${KEY}`],
    ["a piece of a runner configuration", JIT.slice(100, 176)],
    ["a token", "github_pat_11ABCDEFG0abcdefghijkl_mnopqrstuvwxyz"],
    ["base64url", "eyJhbGciOiJSUzI1NiJ9-eyJzdWIiOiIx_MjM0NTY3"],
  ])("%s", (_what, text) => {
    expect(secretHider({})(text)).toMatch(/^\[\d+ characters\]$/);
  });

  test.each([
    "-".repeat(80),
    "=".repeat(80),
    "/usr/local/lib/python/site/packages/torch/cuda",
    "Error response from daemon: manifest unknown",
    "a-name-of-small-letters-that-is-rather-long",
  ])("not %s", (text) => {
    expect(secretHider({})(text)).toBe(text);
  });
});
