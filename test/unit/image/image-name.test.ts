import { expect, test } from "vitest";
import { faultOfName, fullImage, hostOf, readImageName } from "../../../src/image/image-name.ts";
import { cudaOfImage, isDevelImage } from "../../../src/image/image-tag.ts";

const DIGEST = `sha256:${"a".repeat(64)}`;

test.each([
  ["localhost/image", "localhost", "image", "latest"],
  [`debian:13@${DIGEST}`, "docker.io", "library/debian", DIGEST],
])("a name as Docker reads it: %s", (image, registry, repository, reference) => {
  expect(readImageName(image)).toEqual({ registry, repository, reference });
});

test.each([
  ...["", "a/../b", "a//b", "a/", "./a", "ghcr.io/", "ghcr.io:x/a", "a b", "-a", "a/b:tag/c", "0./0", "a:", "a:b:c"],
  ...["ghcr.io./a", "ghcr..io/a", "x-.io/a", "docker://a/b:c", "127.1/a"],
  ...[`a/${"b".repeat(254)}`, `${"a.".repeat(127)}io/b`],
])("a name as Docker reads it: '%s' is none that a registry can have", (image) => {
  expect(readImageName(image)).toBeUndefined();
});

const CAPITALS = "has capitals, and registries allow small letters alone: ";
test.each([
  ["ghcr.io/AcmeOrg/X", `${CAPITALS}\`ghcr.io/acmeorg/x\``],
  ["docker://a/b:c", "begins with docker://, leave it out"],
  [`Acme/${"X".repeat(300)}`, ""],
])("what is wrong with the name %s", (image, fault) => {
  expect(faultOfName(image)).toBe(fault);
});

test("Docker Hub answers at another host than its name", () => {
  expect(hostOf("docker.io")).toBe("registry-1.docker.io");
  expect(hostOf("ghcr.io")).toBe("ghcr.io");
});

test.each([
  ["owner/image:cu1300", 13],
  ["owner/image:cu92", 9.2],
  ["registry.example:5000/nvidia/cuda:13.0.0-base-ubi9", 13],
  // Else that of the last part of the name; the tag says it better.
  ["registry.example:5000/cuda124/torch-cuda12.8-cudnn9:latest", 12.8],
  // A major version alone leaves its minor open.
  ["owner/image:1.0-cuda12", 12, 12.9],
  ["owner/image-cu11", 11, 11.9],
])("the CUDA version of %s: %d", (image, least, most = least) => {
  expect(cudaOfImage(image)).toEqual({ least, most });
});

test.each([
  ...["debian:13", "debian", "nvidia/cuda", "nvidia/cuda:latest", `nvidia/cuda@${DIGEST}`],
  // The version of what the image is named after, which is not CUDA.
  ...["nvcr.io/nvidia/pytorch:24.10-py3", "tensorflow/tensorflow:2.19.0-gpu", "ghcr.io/owner/cuda-tests:24.05"],
  ...["ghcr.io/owner/cuda:2026.1", "ghcr.io/owner/cuda:25.03", "ghcr.io/cuda-team/app:24.10"],
  ...["owner/image:cu20260101", "owner/image:cu2026", "registry.example:5000/cuda124/image"],
  ...["owner/image:tag-icu72", "owner/image:cudnn9"],
])("the CUDA version of %s names none", (image) => {
  expect(cudaOfImage(image)).toBeUndefined();
});

test.each([[`nvidia/cuda:12.4.1-cudnn-devel-ubuntu22.04@${DIGEST}`, true]])("%s says devel: %s", (image, isDevel) => {
  expect(isDevelImage(image)).toBe(isDevel);
});

test.each([["localhost:5000/image", "localhost:5000/image:latest"]])(
  "the service fails on an image without tag or digest: %j is sent as %j",
  (image, full) => {
    expect(fullImage(image)).toBe(full);
  },
);
