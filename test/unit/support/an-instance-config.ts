import type { InstanceConfig } from "../../../src/marketplace/vast/requests.ts";

/** The body of a create, but for what the test says. */
export function aConfig(given: Partial<InstanceConfig> = {}): InstanceConfig {
  return {
    image: "debian:13",
    label: "ghr1.1.2-1.abcdef.1.1798761600",
    disk: 32,
    runtype: "ssh_proxy",
    target_state: "running",
    env: { GHR_JIT: "the-runner-configuration" },
    onstart: "#!/bin/bash\n",
    cancel_unavail: true,
    ...given,
  };
}
