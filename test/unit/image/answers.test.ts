import { expect, test } from "vitest";
import { readChallenge, readManifest, readToken } from "../../../src/image/image-size.ts";

const digest = (letter: string) => `sha256:${letter.repeat(64)}`;
const layer = (letter: string, size: number) => ({ digest: digest(letter), size });

/** The entry of an index: `a linux/amd64/v3`; without a platform it shows none. */
function entry(text: string) {
  const [letter = "", platform] = text.split(" ");
  const [os = "", architecture = "", variant] = platform?.split("/") ?? [];
  return { digest: digest(letter), ...(platform && { platform: { os, architecture, ...(variant && { variant }) } }) };
}

test("a manifest is as big as its layers and its configuration", () => {
  const manifest = { layers: [layer("a", 1000), layer("b", 500)], config: layer("c", 7) };
  expect(readManifest(manifest)).toEqual({ kind: "size", bytes: 1507, config: digest("c") });
});

const SEVERAL = ["a linux/arm64", "b linux/amd64/v3", "c linux/amd64", "d windows/amd64", "e"];
const OTHERS = ["a linux/arm64", "b unknown/unknown", "c linux/arm/v6", "d linux/arm/v7", "e windows/amd64"];

test.each([
  ["linux/amd64, and of its variants the plain one", SEVERAL, { kind: "index", digest: digest("c") }],
  ["a variant, where there is no plain one", ["b linux/amd64/v2"], { kind: "index", digest: digest("b") }],
  ["others alone, once each", OTHERS, { kind: "other-platform", only: "linux/arm64, linux/arm, windows/amd64" }],
])("of an index: %s", (_what, entries, answer) => {
  expect(readManifest({ manifests: entries.map(entry) })).toEqual(answer);
});

const UNREADABLE = { digest: digest("b"), platform: { os: "linux" } };
test.each([
  ["a platform that can't be read", [entry("a linux/arm64"), UNREADABLE]],
  ["a command in place of an architecture", [entry("b linux/::stop-commands::x")]],
  ["nothing but signatures", [entry("b unknown/unknown")]],
])("an index with %s proves nothing", (_what, manifests) => {
  expect(readManifest({ manifests })).toEqual({ kind: "unusable", why: "its index names no image for linux/amd64" });
});

test.each([
  ["sizes of nothing", { layers: [layer("a", 0)] }],
  ["a digest that is a path", { manifests: [{ digest: "../../x", platform: { os: "linux", architecture: "amd64" } }] }],
])("%s is not usable", (_what, json) => {
  expect(readManifest(json)).toMatchObject({ kind: "unusable" });
});

test.each<[unknown, string | undefined]>([
  [{ access_token: "a.b" }, "a.b"],
  [{ token: "a\r\nHost: b" }, undefined],
])("the token in %j is %s", (json, token) => {
  expect(readToken(json)).toBe(token);
});

const HUB =
  'Bearer realm="https://auth.docker.io/token",service="registry.example",scope="repository:library/debian:pull"';
const HUB_URL = "https://auth.docker.io/token?service=registry.example&scope=repository%3Alibrary%2Fdebian%3Apull";

test.each([
  ["a token's address, with what it is to be for", HUB, "registry-1.docker.io", HUB_URL],
  ["this machine, by its registry", 'Bearer realm="http://localhost:1/t"', "127.0.0.1:5000", "http://localhost:1/t"],
])("a registry asks for a token: %s", (_what, header, host, url) => {
  expect(readChallenge(header, host)).toEqual({ kind: "token", url: new URL(url) });
});

test.each([
  ["an address without https", 'Bearer realm="http://auth.example/token"'],
  ["this very machine, named by another one", 'Bearer realm="https://localhost/token"'],
  ["an address with a user", 'Bearer realm="https://u:p@auth.example/token"'],
  ["no address", 'Bearer service="s"'],
  ["another scheme", 'Negotiate realm="https://auth.example/token"'],
])("a registry is not obeyed: %s", (_what, header) => {
  expect(readChallenge(header, "a.example")).toBeUndefined();
});
