import { expect, test } from "vitest";
import { offerQuery, withTemplateFilter } from "../../../src/offers/search.ts";
import { REQUIREMENTS } from "../../contract/support/service-under-contract.ts";

const PLAIN = { ...REQUIREMENTS, offerFilter: {} };

test("what the requirements don't ask is the template's", () => {
  const requirements = withTemplateFilter(PLAIN, { disk_bw: { gte: 900 }, pcie_bw: { gt: "10" } });
  expect(offerQuery(requirements).filters).toMatchObject({ disk_bw: { gte: 900 }, pcie_bw: { gt: "10" } });
});

test("what they ask stays theirs, by a requirement or by their own filter", () => {
  const template = { gpu_name: { eq: "RTX 3090" }, verified: { eq: false }, disk_bw: { gte: 900 } };
  const requirements = withTemplateFilter(REQUIREMENTS, template);
  expect(offerQuery(requirements).filters).toEqual(offerQuery(REQUIREMENTS).filters);
});

test("a requirement that asks nothing leaves the field to the template", () => {
  const anyGpu = { ...PLAIN, gpuName: [], minCuda: 0 };
  const requirements = withTemplateFilter(anyGpu, { gpu_name: { eq: "RTX 3090" }, cuda_max_good: { gte: "12.4" } });
  expect(offerQuery(requirements).filters).toMatchObject({
    gpu_name: { eq: "RTX 3090" },
    cuda_max_good: { gte: "12.4" },
  });
});

test.each(["dph_total", "num_gpus", "disk_space", "duration", "max_cost"])("%s is never the template's", (field) => {
  expect(withTemplateFilter(PLAIN, { [field]: { lte: 100 } })).toEqual(PLAIN);
});
