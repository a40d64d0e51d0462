import { expect, test } from "vitest";
import type { Fault } from "../../simulator/scenario/fault.ts";
import type { Scenario } from "../../simulator/scenario/scenario.ts";
import { shownError } from "../support/shown-error.ts";
import { type SessionOptions, type SimulatedSession, startSession, UNHURRIED } from "../support/simulated-session.ts";

type Offers = NonNullable<Scenario["offers"]>;

/** A session in a market of these offers. */
function sessionWith(offers: Offers, options: SessionOptions & { faults?: Fault[] } = {}): Promise<SimulatedSession> {
  const { faults = [], ...session } = options;
  return startSession({ ...session, scenario: { offers, faults } });
}

/** Runs main and post to their good ends, and tells which offers were rented. */
async function rentedBy(session: SimulatedSession): Promise<{ offers: number[]; log: string }> {
  const main = await session.step.mainSucceeds();
  await session.endClean();
  return { offers: session.instances().map(({ offer }) => offer.id), log: main.log };
}

/** Runs main to its error and post after it. */
async function refusalOf(session: SimulatedSession): Promise<ReturnType<typeof shownError>> {
  const main = await session.step.mainFails();
  await session.endClean();
  expect(session.instances()).toEqual([]);
  return shownError(main.log);
}

const searches = (session: SimulatedSession) => session.sim.service.journal.of("searchOffers");

const MARKET: Offers = [
  { id: 1, gpu_name: "RTX 3090", gpu_ram: 24_576, compute_cap: 860, dph_base: 0.1 },
  { id: 2, dph_base: 0.2, geolocation: "Texas, US" },
  { id: 3, dph_base: 0.25, machine_id: 40_777 },
  { id: 4, dph_base: 0.3, cpu_cores: 64, cpu_cores_effective: 8 },
  { id: 5, gpu_name: "RTX 4080", gpu_ram: 16_376, dph_base: 0.3 },
  { id: 6, gpu_name: "L4", gpu_ram: 23_034, dph_base: 0.35, hosting_type: 1 },
  { id: 7, dph_base: 0.4, hosting_type: 1, dlperf: 400 },
];

const REQUIREMENTS = {
  "gpu-name": "RTX 4090, RTX 4080\nL4",
  "min-gpu-ram-gb": "24",
  "min-compute-cap": "8.9",
  "min-cpu-ram-gb": "32",
  geolocation: "se, no",
  "exclude-machines": "40777",
};

test.concurrent("takes the cheapest offer that meets every wish, and asks the service for all of them", async () => {
  await using session = await sessionWith(MARKET, { with: REQUIREMENTS });

  expect((await rentedBy(session)).offers).toEqual([6]);
  expect(searches(session)[0]?.request).toMatchObject({
    gpu_name: { in: ["RTX 4090", "RTX 4080", "L4"] },
    gpu_ram: { gte: 22_609 },
    compute_cap: { gte: 890 },
    cpu_ram: { gte: 32_000 },
    cuda_max_good: { gte: 12.8 },
    inet_down: { gte: 200 },
    geolocation: { in: ["SE", "NO"] },
    machine_id: { notin: [40_777] },
    order: [["dph_total", "asc"]],
  });
});

test.concurrent("checks every wish itself when the service does not apply its filters, and says why not", async () => {
  const keys = ["gpu_name", "gpu_ram", "compute_cap", "cpu_ram", "geolocation", "machine_id"];
  const faults: Fault[] = [{ operation: "searchOffers", kind: "ignore-filters", keys }];
  await using session = await sessionWith(MARKET, { with: REQUIREMENTS, faults });

  const { offers, log } = await rentedBy(session);
  expect(offers).toEqual([6]);
  expect(log).toMatch(/offer 1 .*0\.11 USD per hour: no, another GPU \(RTX 3090\), compute capability 8\.6/);
  expect(log).toMatch(/offer 2 .*: no, in US/);
  expect(log).toMatch(/offer 3 .*: no, its machine is excluded/);
  expect(log).toMatch(/offer 4 .*: no, only 16\.1 GB of memory/);
  expect(log).toMatch(/offer 5 .*: no, only 16\.0 GB of GPU memory/);
});

test.concurrent("a service of the specification's words alone gets them alone; what it left out is checked here", async () => {
  const offers: Offers = [
    { id: 1, dph_base: 0.2, cuda_max_good: 12.4 },
    { id: 2, dph_base: 0.3, direct_port_count: 1 },
    { id: 3, dph_base: 0.4 },
  ];
  await using session = await sessionWith(offers, {
    dialect: "seed",
    with: { order: "score", "exclude-machines": "1", "offer-filter": '{"direct_port_count": {"gt": 8}}' },
  });

  const { offers: rented, log } = await rentedBy(session);
  expect(rented).toEqual([3]);
  expect(searches(session).map(({ status }) => status)).toEqual([400, 200]);
  expect(log).toMatch(
    /took a plainer one.*: dph_total lte 0\.6, inet_down_cost lte 0\.05, inet_up_cost lte 0\.05, machine_id notin 1, direct_port_count gt 8\./,
  );
  expect(log).toMatch(/offer 2 .*: no, direct_port_count 1/);
});

test.concurrent("search-timeout: searches again until there is an offer, and says what is missing", async () => {
  const empty: Fault = { operation: "searchOffers", kind: "status", status: 200, body: { offers: [] }, times: 6 };
  await using session = await sessionWith([{ id: 1 }], { with: { "search-timeout": "10m" }, faults: [empty] });

  const { offers, log } = await rentedBy(session);
  expect(offers).toEqual([1]);
  expect(log).toContain("Searching again in 15s");
  expect(log).toContain("Searching again in 30s");
});

test.concurrent("search-timeout is over: the error of the last search", async () => {
  await using session = await sessionWith([{ id: 1, dph_base: 0.9 }], { with: { "search-timeout": "30s" } });

  const { name, message, hint } = await refusalOf(session);
  expect(name).toBe("NoOfferError");
  expect(message).toContain(
    "No RTX 4090 under 0.60 USD per hour: the cheapest that fits otherwise is 0.91 USD. Searched for all of search-timeout (30s). 'test' did not run, and will be cancelled with the run once no other job is open. Nothing was rented.",
  );
  expect(hint).toBe("Raise max-price to 0.91 USD or more.");
  // Each look asks for offers that fit, for what keeps others away, and for other GPUs.
  const kinds = searches(session).map(({ request }) =>
    ["gpu_name", "dph_total"].filter((field) => field in (request as object)),
  );
  expect(kinds.slice(0, 4)).toEqual([
    ["gpu_name", "dph_total"],
    ["gpu_name"],
    ["dph_total"],
    ["gpu_name", "dph_total"],
  ]);
});

test.concurrent("lists every choice that is wrong", async () => {
  await using session = await sessionWith([], {
    ...UNHURRIED,
    with: {
      "gpu-name": "RTX 4090, $(reboot)",
      "min-cuda": "latest",
      "min-inet-down-mbps": "fast",
      geolocation: "Sweden",
      datacenter: "maybe",
      "offer-filter": '{"disk_bw": {"atleast": 5}}',
      order: "random",
      "exclude-machines": "all",
      "search-timeout": "10",
    },
  });

  const { name, message } = await refusalOf(session);
  expect(name).toBe("InputError");
  const [first, ...faults] = message.split("\n");
  expect(first).toMatch(
    /^9 inputs are wrong: gpu-name, min-cuda, .*, search-timeout\. Nothing was rented\. 'test' did not run, and will be cancelled .*\.$/,
  );
  for (const fault of faults) expect(fault).toMatch(/^- [a-z-]+: .*must (be|have) .+, got ".*"$/);
});

test.concurrent("an offer whose traffic is dear is not rented, however little it costs by the hour", async () => {
  const dear = { id: 1, dph_base: 0.05, inet_down_cost: 25 };
  const dearUp = { id: 2, dph_base: 0.06, inet_up_cost: 3 };
  const within = { id: 3, dph_base: 0.3, inet_down_cost: 0.05, inet_up_cost: 0.05 };
  // The service may ignore the filter.
  const faults: Fault[] = [
    { operation: "searchOffers", kind: "ignore-filters", keys: ["inet_down_cost", "inet_up_cost"] },
  ];
  await using session = await sessionWith([dear, dearUp, within], { faults });

  const { log, offers } = await rentedBy(session);
  expect(offers).toEqual([3]);
  expect(log).toContain("no, 25.00 USD per GB down");
  expect(searches(session)[0]?.request).toMatchObject({ inet_down_cost: { lte: 0.05 }, inet_up_cost: { lte: 0.05 } });
});

test.concurrent("with no limit per GB, traffic still may not cost more than the machine", async () => {
  const dear = { id: 1, dph_base: 0.05, inet_down_cost: 0.2 };
  await using session = await sessionWith([dear], { with: { "max-traffic-price": "none" } });

  const { hint, message } = await refusalOf(session);
  expect(message).toMatch(
    /Only image keeps one offer away, .*traffic of \d+\.\d\d USD for image and runner, more than the machine may cost \(0\.60 USD\)/,
  );
  expect(hint).toContain("Take a smaller image, or run the job again later.");
});
