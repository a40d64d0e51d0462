import type { InstanceConfig } from "../service/schemas/instance-config.ts";

/** What the inputs say of the instance. */
export interface InstanceWishes {
  image: string;
  diskGb: number;
}

/** The body of *create instance* for these wishes. */
export function instanceConfig(
  wishes: InstanceWishes,
  machine: { label: string; onstart: string; env: Record<string, string> },
): InstanceConfig {
  return {
    image: wishes.image,
    label: machine.label,
    disk: wishes.diskGb,
    // Never `ssh`: with the plain word the proxy's port was seen not to be reachable.
    runtype: "ssh_proxy",
    target_state: "running",
    env: machine.env,
    onstart: machine.onstart,
    cancel_unavail: true,
  };
}
