import { expect } from "vitest";
import type { Scenario } from "../../simulator/scenario/scenario.ts";
import { test } from "../support/scenario.ts";
import type { SimulatedSession } from "../support/simulated-session.ts";

const searches = (session: SimulatedSession) => session.sim.service.journal.of("searchOffers");

const MARKET: NonNullable<Scenario["offers"]> = [
  { id: 1, gpu_name: "RTX 3090", gpu_ram: 24_576, compute_cap: 860, dph_base: 0.1 },
  { id: 2, dph_base: 0.2, geolocation: "Texas, US" },
  { id: 3, dph_base: 0.25, machine_id: 40_777 },
  { id: 4, dph_base: 0.3, cpu_cores: 64, cpu_cores_effective: 8 },
  { id: 5, gpu_name: "RTX 4080", gpu_ram: 16_376, dph_base: 0.3 },
  { id: 8, gpu_name: "L4", gpu_ram: 23_034, dph_base: 0.05, inet_down_cost: 25 },
  { id: 9, gpu_name: "L4", gpu_ram: 23_034, dph_base: 0.06, inet_up_cost: 3 },
  { id: 6, gpu_name: "L4", gpu_ram: 23_034, dph_base: 0.35, hosting_type: 1, inet_down_cost: 0.05 },
  { id: 7, dph_base: 0.4, hosting_type: 1, dlperf: 400 },
];

test("takes the cheapest offer that meets every wish, asks the service for all of them, and checks each itself", async ({
  start,
}) => {
  const keys = ["gpu_name", "gpu_ram", "compute_cap", "cpu_ram", "geolocation", "machine_id"];
  const session = await start({
    with: {
      "gpu-name": "RTX 4090, RTX 4080\nL4",
      "min-gpu-ram-gb": "24",
      "min-compute-cap": "8.9",
      "min-cpu-ram-gb": "32",
      geolocation: "se, no",
      "exclude-machines": "40777",
    },
    scenario: {
      offers: MARKET,
      faults: [
        { operation: "searchOffers", kind: "ignore-filters", keys: [...keys, "inet_down_cost", "inet_up_cost"] },
      ],
    },
  });

  const { log } = await session.step.mainSucceeds();
  expect(session.rentedOffers()).toEqual([6]);
  expect(searches(session)[0]?.request).toMatchObject({
    gpu_name: { in: ["RTX 4090", "RTX 4080", "L4"] },
    gpu_ram: { gte: 22_609 },
    compute_cap: { gte: 890 },
    cpu_ram: { gte: 32_000 },
    cuda_max_good: { gte: 12.8 },
    inet_down: { gte: 200 },
    inet_down_cost: { lte: 0.05 },
    inet_up_cost: { lte: 0.05 },
    geolocation: { in: ["SE", "NO"] },
    machine_id: { notin: [40_777] },
    order: [["dph_total", "asc"]],
  });
  expect(log).toMatch(/offer 1 .*0\.11 USD per hour: no, another GPU \(RTX 3090\), compute capability 8\.6/);
  expect(log).toMatch(/offer 2 .*: no, in US/);
  expect(log).toMatch(/offer 3 .*: no, its machine is excluded/);
  expect(log).toMatch(/offer 4 .*: no, only 16\.1 GB of memory/);
  expect(log).toMatch(/offer 5 .*: no, only 16\.0 GB of GPU memory/);
  expect(log).toMatch(/offer 8 .*: no, 25\.00 USD per GB down/);
  expect(log).toMatch(/offer 9 .*: no, 3\.00 USD per GB up/);
});

test("search-timeout: searches again until there is an offer, and says what is missing", async ({ start }) => {
  const session = await start({
    with: { "search-timeout": "10m" },
    scenario: {
      offers: [{ id: 1 }],
      faults: [{ operation: "searchOffers", kind: "status", status: 200, body: { offers: [] }, times: 6 }],
    },
  });

  const { log } = await session.step.mainSucceeds();
  expect(session.rentedOffers()).toEqual([1]);
  expect(log).toContain("Searching again in 15s");
  expect(log).toContain("Searching again in 30s");
});
