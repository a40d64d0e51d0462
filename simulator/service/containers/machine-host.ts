import type { MachineBehaviour } from "../../scenario/simulate.ts";
import type { InstanceRecord } from "../rentals/instance-record.ts";

const FIRST = 45_000;
const PER_INSTANCE = 64;

/** Seed, runtype table: direct ones' ports; and `env`'s, each on a port that the host picks. As Docker names them: `22/tcp`. */
export function mappedPorts({ id, order, hostPort }: InstanceRecord) {
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
function sshPorts({ order: { runtype }, hostPort }: InstanceRecord): number[] {
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
    const [, port, protocol = "tcp"] = /^-p \d+:(\d+)(?:\/(tcp|udp))?$/.exec(key) ?? [];
    return port === undefined ? [] : [`${port}/${protocol}`];
  });
}

/** `VAST_TCP_PORT_<inside>` for each port; that of SSH is always there. */
function portVariables(record: InstanceRecord): Record<string, string> {
  const named = mappedPorts(record).map(({ inside, outside }) => {
    const [port, protocol = "tcp"] = inside.split("/");
    return [`VAST_${protocol.toUpperCase()}_PORT_${port}`, String(outside)];
  });
  return { VAST_TCP_PORT_22: String(record.hostPort), ...Object.fromEntries(named) };
}

/** A container's environment: as sent, without port mappings and the like, and the service's. */
function containerEnv(record: InstanceRecord, sshKey: string | null): Record<string, string> {
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
    // SPEC-SILENT: by which variables the locales are set; by the usual ones.
    ...(order.lang_utf8 && { LANG: "C.UTF-8", LC_ALL: "C.UTF-8" }),
    ...(order.python_utf8 && { PYTHONIOENCODING: "UTF-8" }),
    ...(order.runtype.includes("jupyter") && {
      JUPYTER_TOKEN: record.jupyterToken,
      JUPYTER_SERVER_ROOT: order.jupyter_dir ?? "/",
    }),
  };
}

/** A container's start; `env` is all that a real container would see. */
export interface MachineStart {
  instanceId: number;
  onstart: string;
  env: Record<string, string>;
  image: string;
  behaviour: MachineBehaviour;
  /** Who may log in, and at which ports; undefined where its runtype has no SSH. */
  ssh?: { keys: readonly string[]; ports: readonly number[] } | undefined;
}

/** A container at one of its starts. */
export function describeStart(record: InstanceRecord, sshKey: string | null): MachineStart {
  const { order } = record;
  const ports = sshPorts(record);
  return {
    instanceId: record.id,
    // With runtype args the service's entrypoint is not there, and it is that which runs onstart.
    onstart: order.runtype === "args" ? "" : order.onstart,
    env: containerEnv(record, sshKey),
    image: order.image,
    behaviour: { gpuName: driverName(record.offer.gpu_name), gpuMemoryMib: record.offer.gpu_ram, ...record.machine },
    ssh: ports.length === 0 ? undefined : { ports, keys: record.sshKeys.map(({ key }) => key) },
  };
}

/** The name of a GPU as its driver prints it. SPEC-SILENT: those of GPUs that are no GeForce differ further. */
function driverName(gpuName: string): string {
  return `NVIDIA ${/^[GR]TX \d{3,4}\b/.test(gpuName) ? "GeForce " : ""}${gpuName}`;
}

/** Runs the containers of instances. Calls for one instance never come two at once. */
export interface MachineHost {
  /** Starts the container of an instance that runs; its onstart runs again at every start. */
  start(machine: MachineStart): void;
  /** The container ends; its disk stays, and it may be started again. */
  stop(instanceId: number): Promise<void>;
  /** The container ends and its disk is removed. */
  destroy(instanceId: number): Promise<void>;
  /** Output so far of the container's first process; a host may keep nothing. */
  containerLog?(instanceId: number): string;
  /** The address at which people log in to a machine; undefined where nobody can. */
  sshHost?(instanceId: number): string | undefined;
  /** Lets a public key log in to a machine from now on. */
  allowSshKey?(instanceId: number, key: string): void;
  /** Lets a public key log in no more. */
  forbidSshKey?(instanceId: number, key: string): void;
}
