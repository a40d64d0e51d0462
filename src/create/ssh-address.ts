import type { Instance } from "../vast/schemas/instance.ts";

/** The fields by which an instance can be reached. */
export type Reachable = Pick<Instance, "ssh_host" | "ssh_port" | "public_ipaddr" | "ports">;

/** Where a machine can be reached by SSH; empty where the service does not tell. */
export interface SshAddress {
  host: string;
  port: string;
}

/** The machine's own address with `ssh_direct`, where shown; else that of the service's proxy. */
export function sshAddress(instance: Reachable | undefined, runtype: "ssh_proxy" | "ssh_direct"): SshAddress {
  const direct = runtype === "ssh_direct" ? directAddress(instance) : undefined;
  return direct ?? { host: hostOf(instance?.ssh_host) ?? "", port: String(instance?.ssh_port ?? "") };
}

/** Ports are missing before it runs, and were seen to be missing from some answers after that. */
function directAddress(instance: Reachable | undefined): SshAddress | undefined {
  const host = hostOf(instance?.public_ipaddr);
  const port = instance?.ports?.["22/tcp"]?.[0]?.HostPort;
  return host && port ? { host, port: String(port) } : undefined;
}

/** Only what can be a name or an address: people copy it into a shell, and scripts use it there. */
function hostOf(text: string | undefined): string | undefined {
  return /^[\da-z][\da-z.:-]*$/i.test(text ?? "") ? text : undefined;
}
