import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findHostCommand } from "../host-command.ts";
import { readIfThere } from "../read-if-there.ts";

const SESSION = fileURLToPath(new URL("ssh-session.bash", import.meta.url));

interface Options {
  /** The folder of all machines. */
  home: string;
  folder: (instanceId: number) => string;
  /** The name of the variable that all processes of a machine carry. */
  tag: string;
  log: (line: string) => void;
}

/** Looks for OpenSSH's server on this computer; tells what is lacking where nobody can log in to a machine. */
export function findSshServer(find = findHostCommand): { path?: string; lacks?: string } {
  const path = find("sshd");
  if (path === undefined || find("ssh-keygen") === undefined)
    return { lacks: "OpenSSH's server (Debian: openssh-server)" };
  // As root it gives up its rights in this folder, which the system's own service makes.
  if (process.getuid?.() === 0 && !existsSync("/run/sshd")) return { lacks: "the folder /run/sshd" };
  return { path };
}

/**
 * The addresses and ports by which people log in to the machines of one simulator; undefined, with a
 * line that says why, where there can be none.
 */
export function sshDoors({ home, folder, tag, log }: Options, { path: sshd, lacks } = findSshServer()) {
  if (sshd === undefined) {
    log(`no SSH: this computer lacks ${lacks}, so nobody answers at ssh_host`);
    return undefined;
  }
  const serve = serverOf({ sshd, hostKey: makeHostKey(home), tag, log });
  const host = loopbackNetwork();
  const openNow = new Map<number, Server[]>();
  const close = (instanceId: number) => {
    for (const server of openNow.get(instanceId) ?? []) server.close();
    openNow.delete(instanceId);
  };
  return {
    /** A loopback address of its own for each machine. */
    host,
    /** Serves these ports of a machine, a server process for each connection. */
    open(instanceId: number, ports: readonly number[]) {
      const place = { host: host(instanceId), log, serve: (socket: Socket) => serve(socket, folder(instanceId)) };
      openNow.set(
        instanceId,
        ports.map((port) => listenAt(port, place)),
      );
    },
    /** Ends no session. */
    close,
    closeAll: () => [...openNow.keys()].forEach(close),
  };
}

/** A process of OpenSSH's server for a connection to the machine of this folder. */
function serverOf({ sshd, hostKey, tag, log }: Pick<Options, "tag" | "log"> & { sshd: string; hostKey: string }) {
  return (socket: Socket, folder: string) => {
    const child = spawn(sshd, ["-i", "-f", "/dev/null", ...optionsOf(folder, hostKey)], {
      env: { PATH: "/usr/bin:/bin", [tag]: `${folder}/` },
      cwd: folder,
      // A session of its own, as the container has: processes of a machine are told from ours by it.
      detached: true,
      stdio: [socket, socket, "ignore"],
    });
    child.on("error", (fault) => log(`sshd did not start: ${fault.message}`));
    child.unref();
    socket.destroy();
  };
}

function listenAt(
  port: number,
  place: Pick<Options, "log"> & { host: string; serve: (socket: Socket) => void },
): Server {
  // Not a byte may be read here: the connection is handed on.
  const server = createServer({ pauseOnConnect: true }, place.serve);
  server.on("error", (fault) => place.log(`nobody answers at ${place.host}:${port}: ${fault.message}`));
  server.listen(port, place.host);
  // The simulator lives as long as its service does.
  return server.unref();
}

/** Makes the key by which all machines of one simulator prove themselves; returns its file. */
function makeHostKey(folder: string): string {
  const file = join(folder, "ssh_host_key");
  const made = spawnSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "", "-f", file], { encoding: "utf8" });
  if (made.status !== 0) throw new Error(`ssh-keygen made no host key: ${made.stderr || made.error?.message}`);
  return file;
}

/** As on a rented machine: keys only, as root; and nothing of this computer's own settings. */
function optionsOf(folder: string, hostKey: string): string[] {
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
function loopbackNetwork(): (instanceId: number) => string {
  const byte = (from: number, to: number) => from + Math.floor(Math.random() * (to - from + 1));
  const network = `127.${byte(16, 254)}.${byte(0, 255)}`;
  return (instanceId) => `${network}.${1 + (instanceId % 250)}`;
}

/** Lets these keys log in to this folder's machine, beside its script's own, if it has a disk. */
export function allowKeys(folder: string, keys: readonly string[]): void {
  const known = readKeys(folder);
  writeKeys(folder, [...known, ...keys.filter((key) => !known.includes(key))]);
}

/** Lets a key log in no more; sessions that it has go on. */
export function forbidKey(folder: string, key: string): void {
  writeKeys(
    folder,
    readKeys(folder).filter((known) => known !== key),
  );
}

function fileOf(folder: string): string {
  return join(folder, "root/.ssh/authorized_keys");
}

function readKeys(folder: string): string[] {
  return readIfThere(fileOf(folder)).split("\n").filter(Boolean);
}

function writeKeys(folder: string, keys: readonly string[]): void {
  if (!existsSync(folder)) return;
  mkdirSync(join(folder, "root/.ssh"), { recursive: true, mode: 0o700 });
  writeFileSync(fileOf(folder), keys.map((key) => `${key}\n`).join(""), { mode: 0o600 });
}
