import { describe, expect, test } from "vitest";
import { requirementsOf } from "../../../src/action/request.ts";
import { inputsOf } from "../support/a-run.ts";

function requirementsFor(given: Record<string, string>) {
  return requirementsOf(inputsOf(given), 9000);
}

test("the least that a user must give asks for little", () => {
  expect(requirementsFor({})).toEqual({
    gpuName: [],
    numGpus: 1,
    maxPrice: 0.6,
    maxTrafficPrice: 0.05,
    minReliability: 0.95,
    disk: 32,
    durationSeconds: 9000,
    minGpuRamGb: 0,
    minComputeCap: 7,
    minCuda: 0,
    minCpuCores: 0,
    minCpuRamGb: 0,
    minInetDownMbps: 200,
    geolocation: [],
    datacenter: false,
    offerFilter: {},
    excludeMachines: [],
    order: "auto",
  });
});

test("every input has its requirement", () => {
  expect(
    requirementsFor({
      "gpu-name": "RTX 4090, L40S",
      "num-gpus": "2",
      "min-reliability": "0.9",
      disk: "100",
      "min-gpu-ram-gb": "24",
      "min-compute-cap": "8.9",
      "min-cuda": "12.4",
      "min-cpu-cores": "8",
      "min-cpu-ram-gb": "32",
      "min-inet-down-mbps": "500",
      geolocation: "se\nus",
      datacenter: "true",
      "offer-filter": '{"disk_bw": {"gte": 500}}',
      order: "score",
      "exclude-machines": "7, 8",
    }),
  ).toEqual({
    gpuName: ["RTX 4090", "L40S"],
    numGpus: 2,
    maxPrice: 0.6,
    maxTrafficPrice: 0.05,
    minReliability: 0.9,
    disk: 100,
    durationSeconds: 9000,
    minGpuRamGb: 24,
    minComputeCap: 8.9,
    minCuda: 12.4,
    minCpuCores: 8,
    minCpuRamGb: 32,
    minInetDownMbps: 500,
    geolocation: ["SE", "US"],
    datacenter: true,
    offerFilter: { disk_bw: { gte: 500 } },
    excludeMachines: [7, 8],
    order: "score",
  });
});

describe("auto is decided by the image's tag", () => {
  test.each([
    ["pytorch/pytorch:2.8.0-cuda12.8-cudnn9-runtime", 12.8, 200],
    ["pytorch/pytorch:2.8.0-cuda12.8-cudnn9-devel", 12.8, 400],
    ["debian:13", 0, 200],
  ])("%s", (image, minCuda, minInetDownMbps) => {
    expect(requirementsFor({ image })).toMatchObject({ minCuda, minInetDownMbps });
  });
});

describe("the image's CUDA bounds the GPU", () => {
  test.each([
    ["pytorch/pytorch:2.8.0-cuda12.8-cudnn9-runtime", 12.8, 12.8],
    ["pytorch/manylinux-cuda128", 12.8, 12.8],
    // Any 12 may be in it: the driver must be good for the first, the GPU may be of the last.
    ["owner/image:cuda12", 12, 12.9],
  ])("%s", (image, minCuda, imageCuda) => {
    expect(requirementsFor({ image })).toMatchObject({ minCuda, imageCuda });
  });

  test("with min-cuda: auto alone", () => {
    expect(requirementsFor({ image: "owner/image:cuda12.1", "min-cuda": "0" }).imageCuda).toBeUndefined();
    expect(requirementsFor({ image: "debian:13" }).imageCuda).toBeUndefined();
  });
});
