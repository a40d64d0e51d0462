import { expect, test } from "vitest";
import { instanceConfig } from "../../../src/provisioning/instance-config.ts";

test("is the body that rents, and nothing beside it", () => {
  const machine = { label: "ghr1.1.2-1.abcdef.1.9", onstart: "#!/bin/bash\n", env: { GHR_JIT: "x" } };
  expect(instanceConfig({ image: "debian:13", diskGb: 32 }, machine)).toEqual({
    image: "debian:13",
    label: "ghr1.1.2-1.abcdef.1.9",
    disk: 32,
    runtype: "ssh_proxy",
    target_state: "running",
    env: { GHR_JIT: "x" },
    onstart: "#!/bin/bash\n",
    // Without it a machine that can't be had becomes a stopped instance that bills its disk.
    cancel_unavail: true,
  });
});
