import { expect, test } from "vitest";
import { formatPrice } from "../../../src/money/price.ts";
import { describeRequirements } from "../../../src/offers/rules.ts";
import { someRequirements } from "../support/an-offer.ts";

test("says in words what is searched for", () => {
  expect(describeRequirements(someRequirements())).toBe(
    "1 × RTX 4090, at most 0.60 USD per hour, reliability 0.95 or more, 32 GB of disk",
  );
  expect(describeRequirements(someRequirements({ gpuName: [], numGpus: 8 }))).toContain("8 × any GPU");
});

test("names each requirement that was set, and none that was not", () => {
  const requirements = someRequirements({
    gpuName: ["RTX 4090", "L40S"],
    minGpuRamGb: 24,
    minComputeCap: 8,
    minCuda: 13,
    minCpuCores: 8,
    minCpuRamGb: 32,
    minInetDownMbps: 200,
    geolocation: ["SE", "US"],
    datacenter: true,
    offerFilter: { disk_bw: { gte: 500, lt: 9000 }, mobo_name: { in: ["A", "B"] } },
    excludeMachines: [7, 8],
  });
  expect(describeRequirements(requirements)).toBe(
    "1 × RTX 4090 or L40S, at most 0.60 USD per hour, reliability 0.95 or more, 32 GB of disk, 24 GB of GPU memory or more, " +
      "compute capability 8.0 or more, CUDA 13.0 or more, 8 CPU cores or more, 32 GB of memory or more, 200 Mbit/s down or more, " +
      "in SE or US, in a data centre, not host 7 or 8, disk_bw gte 500 and lt 9000, mobo_name in A|B",
  );
});

test.each([
  [0, "0.00 USD"],
  [0.6, "0.60 USD"],
  [12.345, "12.35 USD"],
  [0.1, "0.10 USD"],
  [0.0999, "0.0999 USD"],
  [0.0007, "0.0007 USD"],
])("writes %d as a price", (usd, text) => {
  expect(formatPrice(usd)).toBe(text);
});
