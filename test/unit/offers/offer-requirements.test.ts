import { expect, test } from "vitest";
import { describeRequirements } from "../../../src/offers/rules.ts";
import { offerQuery, withTemplateFilter } from "../../../src/offers/search.ts";
import { REQUIREMENTS } from "../../contract/support/service-under-contract.ts";
import { someRequirements } from "../support/an-offer.ts";

const PLAIN = { ...REQUIREMENTS, offerFilter: {} };

test("says in words what is searched for: each requirement that was set, and none that was not", () => {
  const usual = "1 × RTX 4090, at most 0.60 USD per hour, reliability 0.95 or more, 32 GB of disk";
  expect(describeRequirements(someRequirements())).toBe(usual);
  expect(describeRequirements(someRequirements({ gpuName: [], numGpus: 8 }))).toContain("8 × any GPU");
  const all = someRequirements({
    ...{ minGpuRamGb: 24, minComputeCap: 8, minCuda: 13, minCpuCores: 8, minCpuRamGb: 32, minInetDownMbps: 200 },
    ...{ gpuName: ["RTX 4090", "L40S"], geolocation: ["SE", "US"], datacenter: true, excludeMachines: [7, 8] },
    offerFilter: { disk_bw: { gte: 500, lt: 9000 }, mobo_name: { in: ["A", "B"] } },
  });
  expect(describeRequirements(all)).toBe(
    "1 × RTX 4090 or L40S, at most 0.60 USD per hour, reliability 0.95 or more, 32 GB of disk, 24 GB of GPU memory or more, " +
      "compute capability 8.0 or more, CUDA 13.0 or more, 8 CPU cores or more, 32 GB of memory or more, 200 Mbit/s down or more, " +
      "in SE or US, in a data centre, not host 7 or 8, disk_bw gte 500 and lt 9000, mobo_name in A|B",
  );
});

test("what the requirements don't ask is the template's", () => {
  const filters = { disk_bw: { gte: 900 }, pcie_bw: { gt: "10" } };
  expect(offerQuery(withTemplateFilter(PLAIN, filters)).filters).toMatchObject(filters);
  // One that asks nothing leaves the field to it.
  const left = { gpu_name: { eq: "RTX 3090" }, cuda_max_good: { gte: "12.4" } };
  const anyGpu = withTemplateFilter({ ...PLAIN, gpuName: [], minCuda: 0 }, left);
  expect(offerQuery(anyGpu).filters).toMatchObject(left);
});

test("what they ask stays theirs, by a requirement or by their own filter", () => {
  const template = { gpu_name: { eq: "RTX 3090" }, verified: { eq: false }, disk_bw: { gte: 900 } };
  expect(offerQuery(withTemplateFilter(REQUIREMENTS, template)).filters).toEqual(offerQuery(REQUIREMENTS).filters);
});

test.each(["dph_total", "num_gpus", "disk_space", "duration", "max_cost"])("%s is never the template's", (field) => {
  expect(withTemplateFilter(PLAIN, { [field]: { lte: 100 } })).toEqual(PLAIN);
});
