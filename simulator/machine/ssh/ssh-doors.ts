import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import type { Server } from "node:net";
import { join } from "node:path";
import { readIfThere } from "../read-if-there.ts";
import { findSshServer, listenAt, loopbackNetwork, makeHostKey } from "./ssh-server.ts";

interface Options {
  /** The folder of all machines. */
  home: string;
  folder: (instanceId: number) => string;
  /** The name of the variable that all processes of a machine carry. */
  tag: string;
  log: (line: string) => void;
}

/**
 * The addresses and ports by which people log in to the machines of one simulator; undefined, with a
 * line that says why, where there can be none.
 */
export function sshDoors({ home, folder, tag, log }: Options, server = findSshServer()) {
  if (server.path === undefined) {
    log(`no SSH: this computer lacks ${server.lacks}, so nobody answers at ssh_host`);
    return undefined;
  }
  const hostKey = makeHostKey(home);
  const host = loopbackNetwork();
  const openNow = new Map<number, Server[]>();
  const close = (instanceId: number) => {
    for (const server of openNow.get(instanceId) ?? []) server.close();
    openNow.delete(instanceId);
  };
  return {
    /** A loopback address of its own for each machine. */
    host,
    open(instanceId: number, ports: readonly number[]) {
      const own = { host: host(instanceId), folder: folder(instanceId) };
      const door = { sshd: server.path, hostKey, log, ...own, tag: [tag, `${own.folder}/`] as const };
      openNow.set(
        instanceId,
        ports.map((port) => listenAt(port, door)),
      );
    },
    close,
    closeAll: () => [...openNow.keys()].forEach(close),
  };
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
