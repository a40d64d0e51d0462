import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { inputSchema } from "../../../src/action/inputs/schema.ts";
import { fleetOptions, fleetRequest } from "../../../src/action/request.ts";
import { instanceOrder } from "../../../src/machine/create.ts";
import { configOf, wireQuery } from "../../../src/marketplace/vast/translate.ts";
import { offerQuery, priceOf } from "../../../src/offers/search.ts";
import { aRun, aSessionIn, inputsOf } from "../support/a-run.ts";
import { anOffer } from "../support/an-offer.ts";

/** An input without effect must turn a test red: each has a row with its effect. */

type Input = keyof typeof inputSchema.shape;

const RUN = aRun();
const SESSION = aSessionIn(RUN);
/** Meets what every session asks for, and a bit of all that can be asked. */
const SHOWN = { compute_cap: 890, inet_down: 1000, min_bid: 0.2 };
const OFFER = anOffer(SHOWN);

/** Everything sent and decided by these inputs. */
function effectsOf(given: Record<string, string>) {
  const inputs = inputsOf(given);
  const request = fleetRequest(inputs, RUN, SESSION);
  const env = request.env({ jitConfigs: ["e30="], deadline: 1_800_000_000_000, uptimeMs: 7_200_000 });
  const price = priceOf(OFFER, request.offer);
  const rental = { machineNo: 1, offer: OFFER, price, expiry: 1_800_000_000_000 };
  return {
    asked: wireQuery(offerQuery(request.offer)),
    create: configOf(instanceOrder(request, rental, env)),
    request,
    options: fleetOptions(inputs, RUN),
  };
}

function at(effects: unknown, path: string): unknown {
  return path
    .split("/")
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], effects);
}

const VOLUME = { "volume-id": "81", "volume-mount-path": "/data" };

/** Input, what is given, where it shows, and as what. */
const SENT: [Input, Record<string, string>, string, unknown][] = [
  ["gpu-name", { "gpu-name": "L40S" }, "asked/filters/gpu_name", { eq: "L40S" }],
  ["num-gpus", { "num-gpus": "2" }, "asked/filters/num_gpus", { eq: 2 }],
  ["num-gpus", { "num-gpus": "2" }, "create/env/GHR_NUM_GPUS", "2"],
  ["max-price", { "max-price": "0.41" }, "asked/filters/dph_total", { lte: 0.41 }],
  ["max-traffic-price", { "max-traffic-price": "0.02" }, "asked/filters/inet_down_cost", { lte: 0.02 }],
  ["max-traffic-price", { "max-traffic-price": "0.02" }, "asked/filters/inet_up_cost", { lte: 0.02 }],
  ["min-reliability", { "min-reliability": "0.9" }, "asked/filters/reliability", { gte: 0.9 }],
  ["min-gpu-ram-gb", { "min-gpu-ram-gb": "24" }, "asked/filters/gpu_ram", { gte: 22_609 }],
  ["min-compute-cap", { "min-compute-cap": "8.9" }, "asked/filters/compute_cap", { gte: 890 }],
  ["min-cuda", { "min-cuda": "12.4" }, "asked/filters/cuda_max_good", { gte: 12.4 }],
  ["min-cpu-cores", { "min-cpu-cores": "8" }, "asked/filters/cpu_cores_effective", { gte: 8 }],
  ["min-cpu-ram-gb", { "min-cpu-ram-gb": "32" }, "asked/filters/cpu_ram", { gte: 32_000 }],
  ["min-inet-down-mbps", { "min-inet-down-mbps": "500" }, "asked/filters/inet_down", { gte: 500 }],
  ["geolocation", { geolocation: "SE" }, "asked/filters/geolocation", { eq: "SE" }],
  ["datacenter", { datacenter: "true" }, "asked/filters/datacenter", { eq: true }],
  ["offer-filter", { "offer-filter": '{"disk_bw": {"gte": 500}}' }, "asked/filters/disk_bw", { gte: 500 }],
  ["exclude-machines", { "exclude-machines": "7" }, "asked/filters/machine_id", { notin: [7] }],
  ["order", { order: "score" }, "asked/order", [["score", "desc"]]],
  ["pricing", { pricing: "bid" }, "asked/type", "bid"],
  ["pricing", { pricing: "bid" }, "create/price", 0.22],
  ["bid-price", { pricing: "bid", "bid-price": "0.31" }, "create/price", 0.31],
  ["bid-fallback", { pricing: "bid", "bid-fallback": "true" }, "options/bidFallback", true],
  ["image", { image: "ubuntu:24.04" }, "create/image", "ubuntu:24.04"],
  ["image-login", { "image-login": "-u a -p bbbbbbbb ghcr.io" }, "create/image_login", "-u a -p bbbbbbbb ghcr.io"],
  ["template-hash-id", { "template-hash-id": "4e17788f74f0" }, "create/template_hash_id", "4e17788f74f0"],
  ["runtype", { runtype: "ssh_direct" }, "create/runtype", "ssh_direct"],
  ["disk", { disk: "100" }, "create/disk", 100],
  ["disk", { disk: "100" }, "asked/filters/disk_space", { gte: 100 }],
  ["disk", { disk: "100" }, "asked/allocated_storage", 100],
  ["env", { env: "A=1" }, "create/env/A", "1"],
  ["setup", { setup: "make" }, "create/env/GHR_SETUP", expect.stringMatching(/^\S+$/)],
  ["setup-timeout", { setup: "make", "setup-timeout": "1m" }, "create/env/GHR_SETUP_TIMEOUT", "60"],
  ["setup-timeout", { setup: "make", "setup-timeout": "1m" }, "request/limits/onlineMs", 360_000],
  ["setup", { setup: "make" }, "options/readyMs", 2_100_000],
  ["setup-timeout", { setup: "make", "setup-timeout": "1m" }, "options/readyMs", 1_560_000],
  ["probe", { probe: "true" }, "create/env/GHR_PROBE", expect.stringMatching(/^\S+$/)],
  ["probe", { probe: "true" }, "options/hasProbe", true],
  ["github-token", { "github-token": "ghs_0123456789abcdef" }, "options/tokenExpires", true],
  ["max-price", { "max-price": "0.39" }, "options/maxPrice", 0.39],
  ["api-url", { "api-url": "https://service.example" }, "create/env/GHR_API_URL", "https://service.example"],
  ["boot-timeout", { "boot-timeout": "7m" }, "request/limits/bootMs", 420_000],
  ["boot-timeout", { "boot-timeout": "7m" }, "request/image/decidesBoot", false],
  ["online-timeout", { "online-timeout": "7m" }, "request/limits/onlineMs", 420_000],
  ["ready-timeout", { "ready-timeout": "7m" }, "options/readyMs", 420_000],
  ["ready-timeout", { "ready-timeout": "7m" }, "request/limits/readyMs", 420_000],
  ["max-lifetime", { "max-lifetime": "1h", "boot-timeout": "10m" }, "asked/filters/duration", { gte: 5400 }],
  ["max-lifetime", { "max-lifetime": "1h" }, "request/limits/maxLifetime", 3_600_000],
  ["max-lifetime", { "max-lifetime": "1h" }, "options/maxLifetime", 3_600_000],
  ["idle-timeout", { "idle-timeout": "7m" }, "options/idleTimeout", 420_000],
  ["idle-timeout", { "idle-timeout": "7m" }, "create/env/GHR_IDLE_TIMEOUT", "420"],
  ["search-timeout", { "search-timeout": "7m" }, "options/searchTimeout", 420_000],
  ["wait-for-job", { "wait-for-job": "7m" }, "options/waitForJob", 420_000],
  ["keep-failed", { "keep-failed": "7m" }, "options/keepFailed", 420_000],
  ["keep-failed", { "keep-failed": "7m" }, "create/env/GHR_KEEP_FAILED", "420"],
  ["gpu-figures", { "gpu-figures": "false" }, "create/env/GHR_FIGURES", undefined],
  ["gpu-figures", { "gpu-figures": "false" }, "options/gpuFigures", false],
  ["attempts", { attempts: "7" }, "options/attempts", 7],
  ["machines", { machines: "7" }, "options/machines", 7],
  ["machines-per-repository", { "machines-per-repository": "7" }, "options/machinesPerRepository", 7],
  ["jobs", { jobs: "7" }, "options/jobs", 7],
  ["jobs-per-machine", { "jobs-per-machine": "3" }, "request/jobsPerMachine", 3],
  ["job-minutes", { "job-minutes": "20" }, "request/jobMs", 1_200_000],
  ["hedge", { hedge: "false" }, "options/hedge", false],
  ["hold", { hold: "false" }, "options/hold", false],
  ["hold", { hold: "false" }, "options/hedge", false],
  ["machines", { machines: "1" }, "options/hedge", false],
  ["max-cost", { "max-cost": "2" }, "request/money/maxCost", 2],
  ["volume-id", VOLUME, "create/volume_info/volume_id", 81],
  ["volume-mount-path", VOLUME, "create/volume_info/mount_path", "/data"],
];

test.each(SENT)("%s: %j shows at %s", (_input, given, path, value) => {
  expect(at(effectsOf(given), path)).toEqual(value);
  expect(at(effectsOf({}), path)).not.toEqual(value);
});

/** Inputs whose effect is a story; the test that turns red without it. */
const STORIES: [Input, string][] = [
  ["api-key", "test/scenarios/keys-and-tokens.test.ts"],
  ["github-token", "test/scenarios/keys-and-tokens.test.ts"],
  ["job-token", "test/scenarios/keys-and-tokens.test.ts"],
  ["name", "test/scenarios/sessions-and-attempts.test.ts"],
  ["runner-scope", "test/scenarios/keys-and-tokens.test.ts"],
  ["runner-group-id", "test/scenarios/keys-and-tokens.test.ts"],
  ["fail-with-job", "test/scenarios/keep-failed.test.ts"],
  ["template-name", "test/scenarios/order.test.ts"],
  ["if-no-machine", "test/scenarios/no-machine.test.ts"],
  ["min-credit", "test/scenarios/check.test.ts"],
  ["max-cost-30d", "test/scenarios/history.test.ts"],
  ["history", "test/scenarios/history.test.ts"],
  ["check", "test/scenarios/check.test.ts"],
  ["job-check-run-id", "test/unit/action/open-session.test.ts"],
  ["job-status", "test/unit/action/open-session.test.ts"],
  ["strategy-fail-fast", "test/unit/action/inputs/inputs.test.ts"],
  ["strategy-job-total", "test/unit/action/inputs/inputs.test.ts"],
];

test.each(STORIES)("%s is given in %s", (input, path) => {
  expect(existsSync(path)).toBe(true);
  expect(readFileSync(path, "utf8")).toMatch(new RegExp(`["' {]${input}["']?\\s*:`));
});

test("no input is forgotten", () => {
  const rows = new Set<string>([...SENT, ...STORIES].map(([input]) => input));
  expect(Object.keys(inputSchema.shape).filter((name) => !rows.has(name))).toEqual([]);
});
