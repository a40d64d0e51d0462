import type { InstanceOrder, InstanceRecord } from "../rentals/instance-record.ts";
import { mappedPorts } from "./ports.ts";

/** `VAST_TCP_PORT_<inside>` for each port; that of SSH is always there. */
function portVariables(record: InstanceRecord): Record<string, string> {
  const named = mappedPorts(record).map(({ inside, outside }) => {
    const [port, protocol = "tcp"] = inside.split("/");
    return [`VAST_${protocol.toUpperCase()}_PORT_${port}`, String(outside)];
  });
  return { VAST_TCP_PORT_22: String(record.hostPort), ...Object.fromEntries(named) };
}

/** SPEC-SILENT: by which variables the locales are set; by the usual ones. */
function localeVariables({ locale }: InstanceOrder): Record<string, string> {
  return {
    ...(locale.langUtf8 && { LANG: "C.UTF-8", LC_ALL: "C.UTF-8" }),
    ...(locale.pythonUtf8 && { PYTHONIOENCODING: "UTF-8" }),
  };
}

/** A container's environment: as sent, without port mappings and the like, and the service's. */
export function containerEnv(record: InstanceRecord, sshKey: string | null): Record<string, string> {
  const { order, offer, id, containerApiKey } = record;
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
    ...portVariables(record),
    ...localeVariables(order),
    ...(order.runtype.includes("jupyter") && {
      JUPYTER_TOKEN: record.jupyterToken,
      JUPYTER_SERVER_ROOT: order.jupyter.dir ?? "/",
    }),
  };
}
