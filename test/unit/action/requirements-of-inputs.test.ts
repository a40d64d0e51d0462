import { expect, test } from "vitest";
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

test("lists are read entry by entry", () => {
  const given = { "gpu-name": "RTX 4090, L40S", geolocation: "se\nus", "exclude-machines": "7, 8" };
  const read = { gpuName: ["RTX 4090", "L40S"], geolocation: ["SE", "US"], excludeMachines: [7, 8] };
  expect(requirementsFor(given)).toMatchObject(read);
});

test.each([
  ["pytorch/pytorch:2.8.0-cuda12.8-cudnn9-runtime", 12.8, 12.8, 200],
  ["pytorch/pytorch:2.8.0-cuda12.8-cudnn9-devel", 12.8, 12.8, 400],
  ["pytorch/manylinux-cuda128", 12.8, 12.8, 200],
  // Any 12 may be in it: the driver must be good for the first, the GPU may be of the last.
  ["owner/image:cuda12", 12, 12.9, 200],
  ["debian:13", 0, undefined, 200],
])("auto is decided by the image's name: %s", (image, minCuda, imageCuda, minInetDownMbps) => {
  expect(requirementsFor({ image })).toMatchObject({ minCuda, imageCuda, minInetDownMbps });
});

test("the image's CUDA bounds the GPU with min-cuda: auto alone", () => {
  expect(requirementsFor({ image: "owner/image:cuda12.1", "min-cuda": "0" }).imageCuda).toBeUndefined();
});
