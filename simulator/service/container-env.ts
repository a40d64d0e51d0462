import type { InstanceRecord } from "./instance-record.ts";

/** The environment of an instance's container: what was sent, without port mappings and the like, and the service's own. */
export function containerEnv(record: InstanceRecord, sshKey: string | null): Record<string, string> {
  const { order, offer, id, containerApiKey, hostPort } = record;
  // A key such as `-p 8000:8000`, `-v` or `-h` is a flag for the container, not a variable.
  const sent = Object.entries(order.env).filter(([name]) => !name.startsWith("-"));
  return {
    ...Object.fromEntries(sent),
    CONTAINER_ID: String(id),
    ...(containerApiKey === undefined ? {} : { CONTAINER_API_KEY: containerApiKey }),
    VAST_CONTAINERLABEL: `C.${id}`,
    PUBLIC_IPADDR: offer.public_ipaddr.trim(),
    GPU_COUNT: String(offer.num_gpus),
    DATA_DIRECTORY: "/workspace/",
    SSH_PUBLIC_KEY: sshKey ?? "",
    VAST_TCP_PORT_22: String(hostPort),
  };
}
