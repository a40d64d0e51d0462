import fc from "fast-check";
import { expect, test } from "vitest";
import { hostOf, readImageName, readLogin, registryOf } from "../../src/image/image-name.ts";
import { basicAuthorization, readChallenge, readManifest } from "../../src/image/image-size.ts";
import { always } from "./support/always.ts";
import { hostileJson, hostileText, MEGABYTES } from "./support/hostile.ts";
import { isPlainLine } from "./support/readings.ts";

const DIGEST = `sha256:${"0".repeat(64)}`;
const blob = hostileJson("size", "digest");
const manifest = fc.oneof(
  hostileJson("layers", "config", "manifests"),
  fc.record({
    layers: fc.array(fc.oneof(blob, fc.record({ size: fc.maxSafeInteger(), digest: fc.constant(DIGEST) }))),
  }),
  fc.record({ manifests: fc.array(hostileJson("digest", "platform")) }),
);

test("a manifest gives a whole number of bytes, a digest, or nothing", () =>
  always(1000, [manifest], (json) => {
    const read = readManifest(json);
    if (read.kind === "size") expect(read.bytes > 0 && Number.isSafeInteger(read.bytes)).toBe(true);
    if (read.kind === "index") expect(read.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    if (read.kind === "unusable") expect(isPlainLine(read.why)).toBe(true);
  }));

test("a registry sends a login to https addresses only, and to this machine only if it is this machine itself", () => {
  const scheme = fc.constantFrom("https:", "http:", "ftp:", "file:", "");
  const host = fc.constantFrom("auth.example", "127.0.0.1:1", "localhost", "[::1]", "user:x@auth.example", "");
  const address = fc.tuple(scheme, host, hostileText).map(([a, b, c]) => `${a}//${b}/${c.replaceAll('"', "")}`);
  const realm = fc.oneof(address, hostileText);
  const header = fc
    .tuple(fc.constantFrom("Bearer", "bearer", "Basic", "Digest", ""), realm, hostileText)
    .map(([kind, where, more]) => `${kind} realm="${where}",service="s",scope="r"${more}`);
  always(2000, [header, fc.constantFrom("ghcr.io", "127.0.0.1:5000")], (text, asker) => {
    const challenge = readChallenge(text, asker);
    if (challenge?.kind !== "token") return;
    const isLocal = /^(127\.|localhost$|\[::1\]$)/.test(challenge.url.hostname);
    expect(isLocal ? asker.startsWith("127.") : challenge.url.protocol === "https:").toBe(true);
    expect(challenge.url.username + challenge.url.password).toBe("");
  });
});

test("an image's name leads to a place in a registry, or nowhere", () =>
  always(2000, [fc.oneof(hostileText, fc.stringMatching(/^[a-z0-9./:@_-]{1,60}$/))], (image) => {
    const place = readImageName(image);
    if (place === undefined) return;
    const url = new URL(`https://${hostOf(place.registry)}/v2/${place.repository}/manifests/${place.reference}`);
    expect(url.pathname).toBe(`/v2/${place.repository}/manifests/${place.reference}`);
    const host = hostOf(place.registry).replace(/:443$/, "");
    expect(url.host).toBe(host.replace(/:0+(?=\d)/, ":"));
  }));

test("a login is read in its three parts, or not at all, and can stand in a header", () => {
  const word = fc.stringMatching(/^[!-~]{1,20}$/);
  always(100, [word, word, word, hostileText], (username, token, registry, junk) => {
    const login = { username, token, registry: registryOf(registry) };
    expect(readLogin(`-u ${username} -p ${token} ${registry}`)).toEqual(login);
    const other = readLogin(junk);
    if (other) expect(basicAuthorization(other)).toMatch(/^Basic [A-Za-z0-9+/=]+$/);
  });
});

test("a megabyte of anything is read in no time", () => {
  for (const [, text] of MEGABYTES) {
    expect(readChallenge(`Bearer ${text}`, "ghcr.io")).toBeUndefined();
    expect(readLogin(text)).toBeUndefined();
    readImageName(text);
  }
});
