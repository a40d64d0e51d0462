import type { InstanceRecord } from "../rentals/instance-record.ts";

/** A port of the container and the one of its machine that leads to it. */
export interface MappedPort {
  /** As Docker names it: `22/tcp`. */
  readonly inside: string;
  readonly outside: number;
}

const FIRST = 45_000;
const PER_INSTANCE = 64;

/** Seed, runtype table: ports of the direct ones. And what `env` maps, each to a port that the host picks. */
export function mappedPorts({ id, order, hostPort }: InstanceRecord): MappedPort[] {
  const isJupyter = /jupyter_direct?\b/.test(order.runtype);
  const isDirect = isJupyter || /ssh_direct?\b/.test(order.runtype);
  const own = isDirect ? [{ inside: "22/tcp", outside: hostPort }] : [];
  const wanted = [...(isJupyter ? ["8080/tcp"] : []), ...asked(order.env)];
  const first = FIRST + PER_INSTANCE * (id % 300);
  return [...own, ...wanted.map((inside, index) => ({ inside, outside: first + index }))];
}

/** The containers' sides of keys such as `-p 8000:8080/udp`. */
function asked(env: Readonly<Record<string, string>>): string[] {
  return Object.keys(env).flatMap((key) => {
    const found = /^-p \d+:(?<port>\d+)(?:\/(?<protocol>tcp|udp))?$/.exec(key)?.groups;
    return found ? [`${found.port}/${found.protocol ?? "tcp"}`] : [];
  });
}
