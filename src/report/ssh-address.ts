import type { InstanceFacts } from "../fleet/stage.ts";

/** The address of a machine's SSH; empty if the service does not show it. */
interface SshAddress {
  host: string;
  port: string;
}

/** Returns the machine's own address for `ssh_direct` if the service shows it, else the proxy's. */
export function sshAddress(reachable: InstanceFacts["address"], access: "ssh_proxy" | "ssh_direct"): SshAddress {
  const { direct, proxy } = reachable ?? {};
  const isDirect = access === "ssh_direct" && direct?.port !== undefined && hostIn(direct.host) !== "";
  const address = isDirect ? direct : proxy;
  return { host: hostIn(address?.host), port: String(address?.port ?? "") };
}

/** Returns a host only if it can be a name or an address: people copy it into a shell, and scripts use it there. */
function hostIn(text = ""): string {
  return /^[\da-z][\da-z.:-]*$/i.test(text) ? text : "";
}
