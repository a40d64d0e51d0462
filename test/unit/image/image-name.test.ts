import { describe, expect, test } from "vitest";
import { faultOfName, hostOf, readImageName } from "../../../src/image/image-name.ts";

const DIGEST = `sha256:${"a".repeat(64)}`;

describe("a name as Docker reads it", () => {
  test.each([
    ["debian:13", "docker.io", "library/debian", "13"],
    ["debian", "docker.io", "library/debian", "latest"],
    ["pytorch/pytorch:2.8.0-cuda12.8", "docker.io", "pytorch/pytorch", "2.8.0-cuda12.8"],
    ["docker.io/debian:13", "docker.io", "library/debian", "13"],
    ["index.docker.io/owner/image", "docker.io", "owner/image", "latest"],
    ["ghcr.io/owner/a/b:v1", "ghcr.io", "owner/a/b", "v1"],
    ["localhost/image", "localhost", "image", "latest"],
    ["127.0.0.1:5000/image:1", "127.0.0.1:5000", "image", "1"],
    [`nvcr.io/nvidia/pytorch@${DIGEST}`, "nvcr.io", "nvidia/pytorch", DIGEST],
    [`debian:13@${DIGEST}`, "docker.io", "library/debian", DIGEST],
    ["vastai/base-image:@vastai-automatic-tag", "docker.io", "vastai/base-image", "@vastai-automatic-tag"],
    ["owner/image__a-b.c:X_1", "docker.io", "owner/image__a-b.c", "X_1"],
  ])("%s", (image, registry, repository, reference) => {
    expect(readImageName(image)).toEqual({ registry, repository, reference });
  });

  test.each([
    ...["", "a/../b", "a//b", "a/", "./a", "ghcr.io/", "ghcr.io:x/a", "a b", "-a", "a/b:tag/c", "0./0", "a:", "a:b:c"],
    ...["ghcr.io./a", "ghcr..io/a", "x-.io/a", "docker://a/b:c", "127.1/a"],
    ...[`a/${"b".repeat(254)}`, `${"a.".repeat(127)}io/b`],
  ])("'%s' is none that a registry can have", (image) => {
    expect(readImageName(image)).toBeUndefined();
  });
});

const CAPITALS = "has capitals, and registries allow small letters alone: ";
test.each([
  ["ghcr.io/AcmeOrg/X", `${CAPITALS}\`ghcr.io/acmeorg/x\``],
  ["AcmeOrg/X:V1.2-RC", `${CAPITALS}\`acmeorg/x:V1.2-RC\``],
  [`Acme/X@${DIGEST}`, `${CAPITALS}\`acme/x@${DIGEST}\``],
  ["Acme/X:@vastai-automatic-tag", `${CAPITALS}\`acme/x:@vastai-automatic-tag\``],
  ["docker://a/b:c", "begins with docker://, leave it out"],
  ["HTTPS://ghcr.io/a/b", "begins with HTTPS://, leave it out"],
  ["Acme//X", ""],
  [`Acme/${"X".repeat(300)}`, ""],
  ["a/b:@vastai-other-tag", ""],
  ["a:", "has an empty tag (is a variable unset?)"],
  ["a/b:v1", undefined],
])("what is wrong with the name %s", (image, fault) => {
  expect(faultOfName(image)).toBe(fault);
});

test("Docker Hub answers at another host than its name", () => {
  expect(hostOf("docker.io")).toBe("registry-1.docker.io");
  expect(hostOf("ghcr.io")).toBe("ghcr.io");
});
