import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findHostCommand } from "../host-command.ts";

const SESSION = fileURLToPath(new URL("ssh-session.bash", import.meta.url));

/** Why nobody can log in to a machine here, or OpenSSH's server. */
type SshServer = { readonly path: string } | { readonly path?: undefined; readonly lacks: string };

/** Looks for OpenSSH's server on this computer. */
export function findSshServer(find = findHostCommand): SshServer {
  const path = find("sshd");
  if (path === undefined || find("ssh-keygen") === undefined)
    return { lacks: "OpenSSH's server (Debian: openssh-server)" };
  // As root it gives up its rights in this folder, which the system's own service makes.
  if (process.getuid?.() === 0 && !existsSync("/run/sshd")) return { lacks: "the folder /run/sshd" };
  return { path };
}

/** Makes the key by which all machines of one simulator prove themselves; returns its file. */
export function makeHostKey(folder: string): string {
  const file = join(folder, "ssh_host_key");
  const made = spawnSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "", "-f", file], { encoding: "utf8" });
  if (made.status !== 0) throw new Error(`ssh-keygen made no host key: ${made.stderr || made.error?.message}`);
  return file;
}

/** The parts of one machine's SSH server. */
interface SshDoor {
  /** A loopback address. */
  host: string;
  sshd: string;
  hostKey: string;
  /** The machine's folder. */
  folder: string;
  /** The environment variable of all processes of the machine: `NAME` and its value. */
  tag: readonly [name: string, value: string];
  log: (line: string) => void;
}

/** Serves one of a machine's ports, a server process for each connection; closing it ends no session. */
export function listenAt(port: number, door: SshDoor): Server {
  // Not a byte may be read here: the connection is handed on.
  const server = createServer({ pauseOnConnect: true }, (socket) => serveConnection(socket, door));
  server.on("error", (fault) => door.log(`nobody answers at ${door.host}:${port}: ${fault.message}`));
  server.listen(port, door.host);
  // The simulator lives as long as its service does.
  server.unref();
  return server;
}

function serveConnection(socket: Socket, { sshd, tag: [name, value], log, ...door }: SshDoor): void {
  const child = spawn(sshd, ["-i", "-f", "/dev/null", ...optionsOf(door)], {
    env: { PATH: "/usr/bin:/bin", [name]: value },
    cwd: door.folder,
    // A session of its own, as the container has: processes of a machine are told from ours by it.
    detached: true,
    stdio: [socket, socket, "ignore"],
  });
  child.on("error", (fault) => log(`sshd did not start: ${fault.message}`));
  child.unref();
  socket.destroy();
}

/** As on a rented machine: keys only, as root; and nothing of this computer's own settings. */
function optionsOf({ hostKey, folder }: Pick<SshDoor, "hostKey" | "folder">): string[] {
  const settings = {
    HostKey: hostKey,
    AuthorizedKeysFile: join(folder, "root/.ssh/authorized_keys"),
    // The folders above are a temporary one's.
    StrictModes: "no",
    PermitRootLogin: "prohibit-password",
    AuthenticationMethods: "publickey",
    UsePAM: "no",
    PrintMotd: "no",
    PrintLastLog: "no",
    AllowTcpForwarding: "local",
    Subsystem: "sftp internal-sftp",
    ForceCommand: `bash ${quoted(SESSION)} ${quoted(folder)}`,
  };
  return Object.entries(settings).flatMap(([name, value]) => ["-o", `${name}=${value}`]);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Gives each machine of this simulator an address of this computer alone. */
export function loopbackNetwork(): (instanceId: number) => string {
  const byte = (from: number, to: number) => from + Math.floor(Math.random() * (to - from + 1));
  const network = `127.${byte(16, 254)}.${byte(0, 255)}`;
  return (instanceId) => `${network}.${1 + (instanceId % 250)}`;
}
