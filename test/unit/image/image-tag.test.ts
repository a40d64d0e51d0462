import { describe, expect, test } from "vitest";
import { cudaOfImage, isDevelImage } from "../../../src/image/image-tag.ts";

const DIGEST = `sha256:${"1".repeat(64)}`;

describe("the CUDA version of an image", () => {
  test.each([
    ["pytorch/pytorch:2.8.0-cuda12.8-cudnn9-runtime", 12.8],
    ["vastai/pytorch:2.5.1-cuda-12.4.1", 12.4],
    ["ghcr.io/owner/image:v3-cu124", 12.4],
    ["owner/image:torch2.8-cu128-py3.12", 12.8],
    ["owner/image:cu130", 13],
    ["runpod/pytorch:1.0.2-cu1281-torch280-ubuntu2404", 12.8],
    ["owner/image:cu1300", 13],
    ["nvidia/cudagl:11.4.2-runtime", 11.4],
    ["nvcr.io/nvidia/cuda-dl-base:25.03-cuda12.8-devel-ubuntu24.04", 12.8],
    ["owner/image:cu92", 9.2],
    ["owner/image:1.0_cuda_11.8", 11.8],
    ["owner/image:CUDA12.1", 12.1],
    ["nvidia/cuda:12.4.1-devel-ubuntu22.04", 12.4],
    ["registry.example:5000/nvidia/cuda:13.0.0-base-ubi9", 13],
    [`nvidia/cuda:12.6.3-runtime-ubuntu24.04@${DIGEST}`, 12.6],
    // Else that of the last part of the name; the tag says it better.
    ["pytorch/manylinux-cuda128", 12.8],
    ["pytorch/manylinux-cuda128:latest", 12.8],
    ["registry.example:5000/cuda124/torch-cuda12.8-cudnn9:latest", 12.8],
    ["owner/torch-cu118:2.8-cu128", 12.8],
    // A major version alone leaves its minor open.
    ["owner/image:1.0-cuda12", 12, 12.9],
    ["owner/image-cu11", 11, 11.9],
  ])("%s: %d", (image, least, most = least) => {
    expect(cudaOfImage(image)).toEqual({ least, most });
  });

  test.each([
    ...["debian:13", "debian", "nvidia/cuda", "nvidia/cuda:latest", `nvidia/cuda@${DIGEST}`],
    // The version of what the image is named after, which is not CUDA.
    ...["nvcr.io/nvidia/pytorch:24.10-py3", "tensorflow/tensorflow:2.19.0-gpu", "ghcr.io/owner/cuda-tests:24.05"],
    ...["ghcr.io/owner/cuda:2026.1", "ghcr.io/owner/cuda:25.03", "ghcr.io/cuda-team/app:24.10"],
    ...["owner/image:cu20260101", "owner/image:cu2026", "registry.example:5000/cuda124/image"],
    ...["owner/image:tag-icu72", "owner/image:cudnn9"],
  ])("%s names none", (image) => {
    expect(cudaOfImage(image)).toBeUndefined();
  });
});

test.each([
  ["pytorch/pytorch:2.8.0-cuda12.8-cudnn9-devel", true],
  ["nvidia/cuda:12.4.1-devel-ubuntu22.04", true],
  [`nvidia/cuda:12.4.1-cudnn-devel-ubuntu22.04@${DIGEST}`, true],
  ["pytorch/pytorch:2.8.0-cuda12.8-cudnn9-runtime", false],
  ["owner/devel:1", false],
  ["owner/image:developer", false],
  ["owner/devel", false],
])("%s says devel: %s", (image, isDevel) => {
  expect(isDevelImage(image)).toBe(isDevel);
});
