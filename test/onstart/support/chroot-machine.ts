import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { MachineHost } from "../../../simulator/service/containers/machine-host.ts";

/** A container made of a folder with a whole Linux; needs root. Disposing ends its processes. */
interface ChrootMachine extends MachineHost, AsyncDisposable {
  /** Printed by the container's first process, which is the service's log of it. */
  output(): string;
}

const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** As on a rented machine: it runs the onstart, then stays until what it waits for is ended. */
const FIRST_PROCESS = "bash /root/onstart.sh\n/usr/bin/sleep infinity\n";

/** Its mounts and processes end with it, and it with us: nothing is left behind. */
const CONTAINER = 'mount -t proc proc "$1/proc" && exec chroot "$1" /bin/bash /root/container.sh';
const ENCLOSE = ["--pdeathsig", "KILL", "unshare", "--pid", "--fork", "--kill-child", "--mount"];

/** Runs the onstart of one instance in the Linux that lies in `root`. */
export function chrootMachine(root: string): ChrootMachine {
  // Not a pipe to here: what Node makes for one is a socket, which nobody can open by /proc/1/fd/1.
  const log = `${root}.log`;
  rmSync(log, { force: true });
  let container: ChildProcess | undefined;

  async function end() {
    const ending = container;
    container = undefined;
    if (ending === undefined || ending.exitCode !== null || ending.signalCode !== null) return;
    ending.kill("SIGKILL");
    await once(ending, "exit");
  }

  return {
    output: () => (existsSync(log) ? readFileSync(log, "utf8") : ""),
    start({ onstart, env }) {
      writeFileSync(join(root, "root/onstart.sh"), onstart);
      writeFileSync(join(root, "root/container.sh"), FIRST_PROCESS);
      const output = openSync(log, "a");
      const child = spawn("setpriv", [...ENCLOSE, "bash", "-c", CONTAINER, "bash", root], {
        env: { ...env, PATH, HOME: "/root" },
        stdio: ["ignore", output, output],
      });
      closeSync(output);
      container = child;
    },
    stop: end,
    destroy: end,
    [Symbol.asyncDispose]: end,
  };
}
