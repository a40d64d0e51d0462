import { describe, expect, test } from "vitest";
import { inputSchema } from "../../../src/action/input-schema.ts";
import { fullImage, rentRequest } from "../../../src/action/rent-request.ts";
import type { RunContext } from "../../../src/action/run-context.ts";

const DIGEST = `sha256:${"a".repeat(64)}`;

describe("fullImage", () => {
  test.each([
    ["debian", "debian:latest"],
    ["pytorch/pytorch", "pytorch/pytorch:latest"],
    ["ghcr.io/owner/image", "ghcr.io/owner/image:latest"],
    ["localhost:5000/image", "localhost:5000/image:latest"],
    ["registry.example:443/a/b", "registry.example:443/a/b:latest"],
  ])("%s has neither tag nor digest, which the service fails on", (image, full) => {
    expect(fullImage(image)).toBe(full);
  });

  test.each([
    "debian:13",
    "localhost:5000/image:1",
    "ghcr.io/owner/image:v1.2-RC",
    `debian@${DIGEST}`,
    `debian:13@${DIGEST}`,
    `localhost:5000/a/b@${DIGEST}`,
  ])("%s is sent as it is", (image) => {
    expect(fullImage(image)).toBe(image);
  });
});

const RUN: RunContext = {
  owner: "octo",
  repo: "gpu-lib",
  repositoryId: 1,
  runId: 4711,
  attempt: 2,
  jobName: "rent",
  runnerName: "hosted-1",
  apiUrl: "https://api.github.com",
  serverUrl: "https://github.com",
  runnerLabel: "gpu-4711-2",
};
const USE = {
  prefix: "ghr1.1.4711-2.abcdef",
  runnerNamePrefix: "gpu-4711-2-abcdef",
  download: { url: "https://github.example/runner.tar.gz", sha256: "ab".repeat(32) },
};

function requestFor(given: Record<string, string>) {
  const needed = {
    "api-key": "the-api-key",
    "github-token": "the-github-token",
    "job-token": "the-job-token",
    "max-price": "0.60",
    image: "debian",
  };
  return rentRequest(inputSchema.parse({ ...needed, ...given }), RUN, USE);
}

test("hands the inputs to the renting room", () => {
  const request = requestFor({ "gpu-name": "RTX 4090", "num-gpus": "2", disk: "100", attempts: "3" });
  expect(request).toMatchObject({
    prefix: USE.prefix,
    runnerNamePrefix: USE.runnerNamePrefix,
    offer: {
      gpuNames: ["RTX 4090"],
      numGpus: 2,
      maxPrice: 0.6,
      minReliability: 0.95,
      diskGb: 100,
      durationSeconds: 9000,
    },
    instance: { image: "debian:latest", diskGb: 100 },
    attempts: 3,
  });
});

test("no gpu-name: any GPU; no search-timeout: one search", () => {
  expect(requestFor({}).offer.gpuNames).toEqual([]);
  expect(requestFor({}).searchMs).toBe(0);
  expect(requestFor({ "search-timeout": "10m" }).searchMs).toBe(600_000);
});

test("the machine's environment: the user's variables, the runner's configuration, the limits", () => {
  const env = requestFor({ env: "MY_VARIABLE=1" }).env({
    jitConfig: "the-configuration",
    deadline: 1_798_761_600,
    uptimeMs: 8_100_000,
  });
  expect(env).toMatchObject({
    MY_VARIABLE: "1",
    GHR_JIT: "the-configuration",
    GHR_RUNNER_URL: USE.download.url,
    GHR_RUNNER_SHA256: USE.download.sha256,
    GHR_DEADLINE: "1798761600",
    GHR_MAX_UPTIME: "8100",
    GHR_IDLE_TIMEOUT: "300",
    GHR_REPOSITORY: "octo/gpu-lib",
    GHR_RUN_ID: "4711",
    GHR_RUN_ATTEMPT: "2",
  });
});

test("nothing that is sent to the machine holds a key of the account or a token", () => {
  const request = requestFor({});
  const sent = JSON.stringify([
    request.env({ jitConfig: "x", deadline: 1, uptimeMs: 1 }),
    request.onstart,
    request.instance,
  ]);
  for (const secret of ["the-api-key", "the-github-token", "the-job-token"]) expect(sent).not.toContain(secret);
});
