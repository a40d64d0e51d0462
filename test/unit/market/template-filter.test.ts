import { expect, test } from "vitest";
import { offerQuery, withTemplateFilter } from "../../../src/market/search.ts";
import { REQUIREMENTS } from "../../contract/support/service-under-contract.ts";

const PLAIN = { ...REQUIREMENTS, offerFilter: {} };

test("what the requirements don't ask is the template's", () => {
  const requirements = withTemplateFilter(PLAIN, { disk_bw: { gte: 900 }, pcie_bw: { gt: "10" } });
  expect(offerQuery(requirements).filters).toMatchObject({ disk_bw: { gte: 900 }, pcie_bw: { gt: "10" } });
});

test.each(["dph_total", "num_gpus", "disk_space", "duration", "max_cost"])("%s is never the template's", (field) => {
  expect(withTemplateFilter(PLAIN, { [field]: { lte: 100 } })).toEqual(PLAIN);
});
