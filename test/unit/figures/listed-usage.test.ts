import { expect, test } from "vitest";
import { instanceSchema } from "../../../src/vast/schemas.ts";
import { instanceOf } from "../../../src/vast/translate.ts";

/** As the vendor's examples have it: per cent, and GB. */
const BY_EXAMPLES = {
  ...{ gpu_util: 87.4, gpu_temp: 71.2, gpu_totalram: 24_564, vmem_usage: 7.24 },
  ...{ cpu_util: 45, mem_usage: 9.5, mem_limit: 32, disk_usage: 21.3 },
};

function usageOf(fields: object) {
  return instanceOf(instanceSchema.parse({ id: 7, ...fields })).usage;
}

test("by the vendor's examples: per cent and GB", () => {
  expect(usageOf(BY_EXAMPLES)).toEqual({
    ...{ gpuPercent: 87.4, gpuCelsius: 71.2, gpuMemoryGb: 7.2 },
    ...{ cpuPercent: 45, ramGb: 9.5, ramOfGb: 32, diskGb: 21.3 },
  });
});

test("by the vendor's sentences, a fraction and MB: not reported, and never 1% of a GPU that is busy", () => {
  const bySentences = { gpu_util: 0.87, cpu_util: 1, vmem_usage: 7240, mem_usage: 9500, mem_limit: 32_000 };
  expect(usageOf({ gpu_totalram: 24_564, ...bySentences })).toBeUndefined();
  // 40 MB of a GPU that is idle are no 40 GB: one list has one unit.
  expect(usageOf({ ...bySentences, gpu_totalram: 80_000, vmem_usage: 40 })).toBeUndefined();
});

test("0, -1, null, negative, above what there is: not reported", () => {
  for (const figure of [0, -1, null, -40, 1e9, "NaN"]) {
    const names = ["gpu_util", "gpu_temp", "cpu_util", "mem_usage", "mem_limit", "vmem_usage", "disk_usage"];
    expect(usageOf(Object.fromEntries(names.map((name) => [name, figure])))).toBeUndefined();
  }
  expect(usageOf({ ...BY_EXAMPLES, gpu_util: 101, vmem_usage: 24.7, mem_usage: 33 })).toMatchObject({
    ...{ gpuPercent: undefined, gpuMemoryGb: undefined, ramGb: undefined, ramOfGb: 32 },
  });
});
