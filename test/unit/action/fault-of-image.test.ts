import { expect, test } from "vitest";
import { faultOfImage } from "../../../src/action/image.ts";
import { inputsOf } from "../support/a-run.ts";

const LOGIN = "-u octo -p secret-token ghcr.io";
const PRIVATE = { image: "ghcr.io/octo/private:1" };

test("a login that its registry refuses is the login's fault, and its token is not shown", () => {
  expect(faultOfImage(inputsOf({ ...PRIVATE, "image-login": LOGIN }), { kind: "refused", status: 403 })).toEqual({
    isCertain: true,
    says: "The registry of ghcr.io/octo/private:1 answered 403 to image-login: its user or token is wrong, or may not pull this image, or there is none of this name.",
    hint: "Check image-login, and that its token may read the package and has not expired.",
  });
});

test.each([
  ["no login", {}],
  ["a login for another registry", { "image-login": LOGIN.replace("ghcr.io", "docker.io") }],
])("%s: names image-login", (_what, given) => {
  expect(faultOfImage(inputsOf({ ...PRIVATE, ...given }), { kind: "refused", status: 401 })).toEqual({
    isCertain: false,
    says: "The registry of ghcr.io/octo/private:1 answered 401 without a login: the image is private, or there is none of this name.",
    hint: "Check the image's name. A private image needs image-login.",
  });
});

test("a template may bring a login of its own, of which nothing is known", () => {
  const template = { ...PRIVATE, "template-hash-id": "4e17788f74f075dd9aab7d0d4427968f" };
  expect(faultOfImage(inputsOf(template), { kind: "refused", status: 401 })).toBeUndefined();
  expect(faultOfImage(inputsOf({ ...template, "image-login": LOGIN }), { kind: "refused", status: 401 })).toBeDefined();
});

test.each([{ kind: "unknown" } as const, { kind: "found", bytes: 1 } as const])("%j is no fault", (answer) => {
  expect(faultOfImage(inputsOf({ ...PRIVATE, "image-login": LOGIN }), answer)).toBeUndefined();
});

test.each([
  ["NAME_UNKNOWN", /^its registry has no ghcr\.io\/octo\/private:1, and says NAME_UNKNOWN$/],
  ["only for linux/arm64", /:1 has no image for linux\/amd64, only for linux\/arm64: build it with `--platform linux/],
] as const)("an image that is missing (%s)", (word, said) => {
  const says = expect.stringMatching(said);
  expect(faultOfImage(inputsOf(PRIVATE), { kind: "missing", word })).toMatchObject({ isCertain: true, says });
});
