import { findSshServer, loopbackNetwork, makeHostKey, openSshDoor, type SshDoor } from "./ssh-server.ts";

interface Options {
  /** The folder of all machines. */
  home: string;
  folder: (instanceId: number) => string;
  /** The name of the variable that all processes of a machine carry. */
  tag: string;
  log: (line: string) => void;
}

/** By which address and ports people log in to the machines of one simulator. */
export interface SshDoors {
  /** A loopback address of its own for each machine. */
  host(instanceId: number): string;
  open(instanceId: number, ports: readonly number[]): void;
  close(instanceId: number): void;
  closeAll(): void;
}

/** The doors of machines; undefined, with a line that says why, where there can be none. */
export function sshDoors({ home, folder, tag, log }: Options, server = findSshServer()): SshDoors | undefined {
  if (server.path === undefined) {
    log(`no SSH: this computer lacks ${server.lacks}, so nobody answers at ssh_host`);
    return undefined;
  }
  const hostKey = makeHostKey(home);
  const host = loopbackNetwork();
  const openNow = new Map<number, ReturnType<typeof openSshDoor>>();
  const common: Pick<SshDoor, "sshd" | "hostKey" | "log"> = { sshd: server.path, hostKey, log };
  return {
    host,
    open(instanceId, ports) {
      const door = { ...common, ports, host: host(instanceId), folder: folder(instanceId) };
      openNow.set(instanceId, openSshDoor({ ...door, tag: [tag, `${folder(instanceId)}/`] }));
    },
    close(instanceId) {
      openNow.get(instanceId)?.close();
      openNow.delete(instanceId);
    },
    closeAll() {
      for (const door of openNow.values()) door.close();
      openNow.clear();
    },
  };
}
