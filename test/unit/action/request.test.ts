import { expect, test } from "vitest";
import { fleetRequest, requirementsOf } from "../../../src/action/request.ts";
import { deadlineLimits, planRental, timingOf } from "../../../src/fleet/renting/terms.ts";
import { aRun, aSessionIn, inputsOf, NEEDED_INPUTS } from "../support/a-run.ts";
import { anOffer } from "../support/an-offer.ts";

const RUN = aRun({ attempt: 2 });
const FOUND = aSessionIn(RUN);
const MACHINE = { jitConfigs: ["x"], deadline: 1000, uptimeMs: 1000 };
function requestFor(given: Record<string, string>, found: { imageBytes?: number } = {}, run = RUN) {
  return fleetRequest(inputsOf({ image: "debian", ...given }), run, { ...FOUND, ...found });
}

test("a name that would make runner names too long for GitHub is refused", () => {
  const run = { ...RUN, runnerLabel: `gpu-${"1".repeat(21)}-2-${"a".repeat(24)}` };
  expect(() => requestFor({ name: "a".repeat(24) }, {}, run)).toThrow(
    "One input is wrong: name. Nothing was rented.\n- name: must be shorter by 1 characters, as GitHub takes runner names up to 64",
  );
  expect(requestFor({ name: "a".repeat(23) }, {}, { ...run, runnerLabel: run.runnerLabel.slice(1) }).prefix).toBe(
    FOUND.prefix,
  );
});

test("an instance of a template and nothing else has no image: not even one that is called :latest", () => {
  const { instance, image } = requestFor({ image: "", "template-hash-id": "4e17788f74f075dd" });
  expect(instance).toEqual({ templateHashId: "4e17788f74f075dd", runtype: "ssh_proxy", disk: 32 });
  expect(image).toEqual({ name: "4e17788f74f075dd", bytes: undefined, isDevel: false, decidesBoot: true });
});

test.each(["25m", "42m", "2h"])("boot-timeout: auto: no label expires after that, with ready-timeout: %s", (ready) => {
  for (const bytes of [undefined, 1e6, 3e9, 1e12]) {
    const request = requestFor({ "ready-timeout": ready }, bytes === undefined ? {} : { imageBytes: bytes });
    for (const inet_down of [undefined, 1, 100, 1e5]) {
      const candidate = { offer: anOffer({ inet_down }), price: { total: 0.4, storage: 0 } };
      const limits = deadlineLimits(request.limits, timingOf(request, candidate));
      const { expiry } = planRental(0, limits, candidate, undefined, bytes);
      expect(expiry).toBeLessThanOrEqual(request.offer.durationSeconds * 1000);
    }
  }
});

test("the machine's environment: the user's variables, the runner's configuration, the limits", () => {
  const machine = { jitConfigs: ["the-configuration"], deadline: 1_798_761_600_000, uptimeMs: 8_100_000 };
  expect(requestFor({ env: "MY_VARIABLE=1" }).env(machine)).toMatchObject({
    ...{ MY_VARIABLE: "1", GHR_JIT: "the-configuration", GHR_DEADLINE: "1798761600", GHR_MAX_UPTIME: "8100" },
    ...{ GHR_RUNNER_URL: FOUND.download.url, GHR_RUNNER_SHA256: FOUND.download.sha256 },
    ...{ GHR_REPOSITORY: "octo/gpu-lib", GHR_RUN_ID: "4711", GHR_RUN_ATTEMPT: "2" },
  });
});

test("nothing that is sent to the machine holds a key of the account or a token", () => {
  const request = requestFor({});
  const sent = JSON.stringify([request.env(MACHINE), request.onstart, request.instance]);
  for (const name of ["api-key", "github-token", "job-token"] as const) expect(sent).not.toContain(NEEDED_INPUTS[name]);
});

test("the figures of the GPUs are left out where the machine's variables have no room for it; more is refused", () => {
  const outcome = (characters: number) => {
    try {
      const env = requestFor({ env: `A=${"x".repeat(characters)}`, "jobs-per-machine": "4" }).env(MACHINE);
      return "GHR_FIGURES" in env ? "figures" : "none";
    } catch (error) {
      return (error as Error).name;
    }
  };
  const outcomes = Array.from({ length: 80 }, (_none, index) => outcome(100 * index + 1));
  expect([...new Set(outcomes)]).toEqual(["figures", "none", "EnvTooLongError"]);
});

function requirementsFor(given: Record<string, string>) {
  return requirementsOf(inputsOf(given), 9000);
}

test.each([
  ["pytorch/pytorch:2.8.0-cuda12.8-cudnn9-devel", 12.8, 12.8, 400],
  // Any 12 may be in it: the driver must be good for the first, the GPU may be of the last.
  ["debian:13", 0, undefined, 200],
])("auto is decided by the image's name: %s", (image, minCuda, imageCuda, minInetDownMbps) => {
  expect(requirementsFor({ image })).toMatchObject({ minCuda, imageCuda, minInetDownMbps });
});

test("the image's CUDA bounds the GPU with min-cuda: auto alone", () => {
  expect(requirementsFor({ image: "owner/image:cuda12.1", "min-cuda": "0" }).imageCuda).toBeUndefined();
});
