import { spawn } from "node:child_process";
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { SimClock } from "../clock/sim-clock.ts";
import type { MachineHost, MachineStart } from "../service/containers/machine-host.ts";
import { findHostCommand } from "./host-command.ts";
import { NEEDED_COMMANDS } from "./image-commands.ts";
import { makeMachineFolder } from "./machine-folder.ts";
import { readIfThere } from "./read-if-there.ts";
import { allowKeys, forbidKey, sshDoors } from "./ssh/ssh-doors.ts";
import { startKeeper } from "./start-keeper.ts";
import { endTagged } from "./tagged-processes.ts";

/** Where machines live and which time they live in. */
interface LocalMachinesOptions {
  /** An existing folder; the machines get one of their own in it, which is removed at the end. */
  root: string;
  clock: SimClock;
  /** Machines answer by SSH, where this computer has OpenSSH's server (default false). */
  ssh?: boolean;
  log?: (line: string) => void;
}

/** Machines that are local processes; disposing ends them all and removes their folders. */
export interface LocalMachines extends MachineHost, AsyncDisposable {
  /** The output of all starts of this machine's onstart, also after its destruction. */
  output(instanceId: number): string;
  /** The folder that is the machine's disk. */
  root(instanceId: number): string;
}

/** The variable of all processes of a machine; its value, the machine's folder, is unique. */
const TAG = "SIM_MACHINE";

/** Bash's own waiting and clock in simulated time, for every bash of a machine. */
const BASH_ENV = fileURLToPath(new URL("lib/bash-env.bash", import.meta.url));

const CONTAINER = fileURLToPath(new URL("container.bash", import.meta.url));

/** Opens a host for machines as local processes; throws where this computer can't (Linux only). */
export function localMachines({ root, clock, ssh = false, log = () => {} }: LocalMachinesOptions): LocalMachines {
  requireHost();
  const home = mkdtempSync(join(resolve(root), "machines-"));
  const folder = (instanceId: number) => join(home, String(instanceId));
  const logFile = (instanceId: number) => `${folder(instanceId)}.log`;
  const endKeeper = startKeeper(`${TAG}=${home}/`, home);
  const doors = ssh ? sshDoors({ home, folder, tag: TAG, log }) : undefined;
  let open = true;
  const end = (instanceId: number) => {
    doors?.close(instanceId);
    return endTagged(`${TAG}=${folder(instanceId)}/`);
  };

  return {
    output: (instanceId) => readIfThere(logFile(instanceId)),
    // A script writes to its container's first process; here it is nobody's, so it has a file.
    containerLog: (instanceId) =>
      readIfThere(logFile(instanceId)) + readIfThere(join(folder(instanceId), "opt/ghr/log")),
    root: folder,
    sshHost: (instanceId) => doors?.host(instanceId),
    allowSshKey: (instanceId, key) => allowKeys(folder(instanceId), [key]),
    forbidSshKey: (instanceId, key) => forbidKey(folder(instanceId), key),
    start(machine) {
      if (!open) return;
      const id = machine.instanceId;
      startContainer(machine, folder(id), logFile(id), clock);
      if (machine.ssh && machine.behaviour.onstart !== "skip") doors?.open(id, machine.ssh.ports);
      log(`machine ${id}: container started`);
    },
    async stop(instanceId) {
      await end(instanceId);
      log(`machine ${instanceId}: container ended`);
    },
    async destroy(instanceId) {
      await end(instanceId);
      rmSync(folder(instanceId), { recursive: true, force: true });
      log(`machine ${instanceId}: container ended, disk removed`);
    },
    async [Symbol.asyncDispose]() {
      open = false;
      doors?.closeAll();
      await endTagged(`${TAG}=${home}/`);
      rmSync(home, { recursive: true, force: true });
      await endKeeper();
    },
  };
}

function requireHost(): void {
  if (process.platform !== "linux") throw new Error("Machines can be simulated on Linux only: /proc shows what runs.");
  const absent = NEEDED_COMMANDS.filter((name) => findHostCommand(name) === undefined);
  if (absent.length > 0)
    throw new Error(`Simulated machines need these commands of this computer: ${absent.join(", ")}.`);
}

function startContainer(machine: MachineStart, folder: string, logFile: string, clock: SimClock): void {
  const { onstart, env, behaviour, ssh } = machine;
  makeMachineFolder({ folder, behaviour, clock, gpuCount: Number(env.GPU_COUNT ?? 1) });
  const home = join(folder, "root");
  mkdirSync(home, { recursive: true });
  const script = join(home, "onstart.sh");
  writeFileSync(script, onOwnDisk(onstart, folder));
  allowKeys(folder, ssh?.keys ?? []);
  if (behaviour.onstart === "skip") return;
  const output = openSync(logFile, "a");
  const bash = findHostCommand("bash") ?? "bash";
  const child = spawn(bash, [CONTAINER, script, findHostCommand("sleep") ?? "sleep"], {
    cwd: home,
    env: containerEnv(folder, machine),
    // A session of its own: its processes are told from ours by it.
    detached: true,
    stdio: ["ignore", output, output],
  });
  closeSync(output);
  child.on("error", (error) => writeFileSync(logFile, `simulator: ${error.message}\n`, { flag: "a" }));
  child.unref();
}

/** Matches the system's folders of programs, also several in one word of bash. */
const PROGRAM_FOLDERS = /(?<=[\s:=])\/(?:usr\/|\{)?[a-z{},/]*bin(?![\w/])/g;

/**
 * An onstart writes variables for SSH sessions to a system file, and may look for programs in the
 * system's folders: here in the machine's own.
 */
function onOwnDisk(onstart: string, folder: string): string {
  return onstart
    .replaceAll(/(?<![\w.}])\/etc\/environment\b/g, join(folder, "etc/environment"))
    .replaceAll(PROGRAM_FOLDERS, join(folder, "bin"));
}

/** The machine's environment; the last ones confine it, whatever the instance's own `env` says. */
function containerEnv(folder: string, { env, behaviour }: MachineStart): Record<string, string> {
  const delay = behaviour.listenerDelaySeconds;
  return {
    ...env,
    ...(delay === undefined ? {} : { SIM_LISTENER_DELAY_SECONDS: String(delay) }),
    PATH: join(folder, "bin"),
    HOME: join(folder, "root"),
    TMPDIR: join(folder, "tmp"),
    GHR_ROOT: join(folder, "opt/ghr"),
    BASH_ENV,
    [TAG]: `${folder}/`,
  };
}
