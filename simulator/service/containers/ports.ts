import type { InstanceRecord } from "../rentals/instance-record.ts";

/** A port of the container and the one of its machine that leads to it. */
export interface MappedPort {
  /** As Docker names it: `22/tcp`. */
  readonly inside: string;
  readonly outside: number;
}

const FIRST = 45_000;
const PER_INSTANCE = 64;

/** Seed, runtype table: direct ones' ports; and `env`'s, each on a port that the host picks. */
export function mappedPorts({ id, order, hostPort }: InstanceRecord): MappedPort[] {
  const isJupyter = /jupyter_direct?\b/.test(order.runtype);
  const isDirect = isJupyter || /ssh_direct?\b/.test(order.runtype);
  const own = isDirect ? [{ inside: "22/tcp", outside: hostPort }] : [];
  const wanted = [...(isJupyter ? ["8080/tcp"] : []), ...asked(order.env)];
  const first = FIRST + PER_INSTANCE * (id % 300);
  return [...own, ...wanted.map((inside, index) => ({ inside, outside: first + index }))];
}

/**
 * The ports at which its machine answers by SSH: its own, where it is mapped, and the proxy's. The
 * official client takes the next port of the proxy for a Jupyter runtype. SPEC-SILENT: whether the
 * proxy leads to a machine of a direct runtype alone; it does.
 */
export function sshPorts({ order: { runtype }, hostPort }: InstanceRecord): number[] {
  if (runtype === "args") return [];
  const proxy = proxyPort({ hostPort });
  return [hostPort, proxy, ...(runtype.includes("jupyter") ? [proxy + 1] : [])];
}

/** The port of the service's proxy that leads to a machine. */
export function proxyPort({ hostPort }: Pick<InstanceRecord, "hostPort">): number {
  return hostPort - 20_000;
}

/** The containers' sides of keys such as `-p 8000:8080/udp`. */
function asked(env: Readonly<Record<string, string>>): string[] {
  return Object.keys(env).flatMap((key) => {
    const found = /^-p \d+:(?<port>\d+)(?:\/(?<protocol>tcp|udp))?$/.exec(key)?.groups;
    return found ? [`${found.port}/${found.protocol ?? "tcp"}`] : [];
  });
}
