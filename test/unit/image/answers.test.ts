import { describe, expect, test } from "vitest";
import { readManifest, readToken } from "../../../src/image/image-size.ts";

const digest = (letter: string) => `sha256:${letter.repeat(64)}`;
const layer = (letter: string, size: number) => ({ digest: digest(letter), size });
const platform = (letter: string, os: string, architecture: string, variant?: string) => ({
  digest: digest(letter),
  platform: { os, architecture, ...(variant && { variant }) },
});

describe("a manifest", () => {
  test("is as big as its layers and its configuration", () => {
    expect(readManifest({ layers: [layer("a", 1000), layer("b", 500)], config: layer("c", 7) })).toEqual({
      kind: "size",
      bytes: 1507,
      config: digest("c"),
    });
  });
});

describe("an index", () => {
  test("linux/amd64, and of its variants the plain one", () => {
    const manifests = [
      platform("a", "linux", "arm64"),
      platform("b", "linux", "amd64", "v3"),
      platform("c", "linux", "amd64"),
      platform("d", "windows", "amd64"),
      { digest: digest("e") },
    ];
    expect(readManifest({ manifests })).toEqual({ kind: "index", digest: digest("c") });
  });

  test("a variant, where there is no plain one", () => {
    expect(readManifest({ manifests: [platform("b", "linux", "amd64", "v2")] })).toMatchObject({ digest: digest("b") });
  });

  test("for other platforms alone names them, once each; signatures are no image", () => {
    const manifests = [
      platform("a", "linux", "arm64"),
      platform("b", "unknown", "unknown"),
      platform("c", "linux", "arm", "v6"),
      platform("d", "linux", "arm", "v7"),
      platform("e", "windows", "amd64"),
    ];
    expect(readManifest({ manifests })).toEqual({
      kind: "other-platform",
      only: "linux/arm64, linux/arm, windows/amd64",
    });
  });

  const arm = platform("a", "linux", "arm64");
  test.each([
    ["an entry without a platform", [arm, { digest: digest("b") }]],
    ["a platform that can't be read", [arm, { digest: digest("b"), platform: { os: "linux" } }]],
    ["a word for amd64 that Go does not use", [arm, platform("b", "linux", "x86_64")]],
    ["a command in place of an architecture", [platform("b", "linux", "::stop-commands::x")]],
    ["nothing but signatures", [platform("b", "unknown", "unknown")]],
    ["nothing", []],
  ])("with %s proves nothing", (_what, manifests) => {
    expect(readManifest({ manifests })).toEqual({ kind: "unusable", why: "its index names no image for linux/amd64" });
  });
});

test.each([
  ["no JSON", undefined],
  ["a list", []],
  ["the form of 2015", { schemaVersion: 1, fsLayers: [{ blobSum: digest("a") }] }],
  ["no layers", { layers: [] }],
  ["a size that is no number", { layers: [{ digest: digest("a"), size: "1000" }] }],
  ["a size below zero", { layers: [layer("a", -1)] }],
  ["sizes of nothing", { layers: [layer("a", 0)] }],
  ["sizes beyond all measure", { layers: [layer("a", Number.MAX_SAFE_INTEGER), layer("b", 10)] }],
  ["a digest that is a path", { manifests: [{ digest: "../../x", platform: { os: "linux", architecture: "amd64" } }] }],
])("%s is not usable", (_what, json) => {
  expect(readManifest(json)).toMatchObject({ kind: "unusable" });
});

describe("a token", () => {
  test("under either of its names", () => {
    expect(readToken({ token: "a.b" })).toBe("a.b");
    expect(readToken({ access_token: "a.b" })).toBe("a.b");
  });

  test.each([{}, { token: 7 }, { token: "" }, { token: "a\r\nHost: b" }, "a", undefined])("%j is none", (json) => {
    expect(readToken(json)).toBeUndefined();
  });
});
