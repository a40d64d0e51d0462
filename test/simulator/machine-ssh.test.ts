import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findSshServer, sshDoors } from "../../simulator/machine/ssh/ssh-doors.ts";
import { startSimulator } from "../../simulator/start-simulator.ts";

// scp, keys that come and go, and a machine that is gone are in test/clients/vastai.ts.

const run = promisify(execFile);
const server = findSshServer();

let keys: string;
beforeAll(async () => {
  keys = mkdtempSync(join(tmpdir(), "ssh-keys-"));
  await run("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", join(keys, "account")]);
});
afterAll(() => rmSync(keys, { recursive: true, force: true }));

const CLIENT = "BatchMode=yes StrictHostKeyChecking=no UserKnownHostsFile=/dev/null LogLevel=ERROR IdentitiesOnly=yes";
const LOGIN = process.getuid?.() === 0 ? "root" : (process.env.USER ?? "root");

interface Row {
  id: number;
  actual_status: string | null;
  ssh_host: string;
  ssh_port: number;
  public_ipaddr: string;
  ports?: Record<string, { HostPort: string }[]>;
}

/** A simulator whose account has a key, and what is rented there, running. */
async function open() {
  const scenario = { user: { ssh_key: readFileSync(join(keys, "account.pub"), "utf8").trim() } };
  const simulator = await startSimulator({ factor: 50, ssh: true, scenario });
  const { url, apiKey } = simulator.service;
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  const ask = async (method: string, path: string, body?: object) => {
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    return JSON.parse(await (await fetch(`${url}/api/v0${path}`, init)).text());
  };
  const rent = async (more: object): Promise<Row> => {
    const id = (await ask("PUT", "/asks/11/", { image: "debian:13", runtype: "ssh_direct", ...more })).new_contract;
    for (;;) {
      const row: Row = (await ask("GET", `/instances/${id}/`)).instances;
      if (row.actual_status === "running") return row;
      await delay(50);
    }
  };
  return { simulator, ask, rent, [Symbol.asyncDispose]: () => simulator[Symbol.asyncDispose]() };
}

async function ssh({ ssh_host, ssh_port }: Pick<Row, "ssh_host" | "ssh_port">, command: string) {
  const options = [
    "-F",
    "/dev/null",
    "-i",
    join(keys, "account"),
    ...CLIENT.split(" ").flatMap((option) => ["-o", option]),
  ];
  const { stdout } = await run("ssh", [...options, "-p", String(ssh_port), `${LOGIN}@${ssh_host}`, command]);
  return stdout.trim();
}

test("a computer without OpenSSH's server, or without the maker of its keys, is told, and has no doors", () => {
  const lacks = "OpenSSH's server (Debian: openssh-server)";
  expect(findSshServer(() => undefined)).toEqual({ lacks });
  expect(findSshServer((name) => (name === "sshd" ? "/usr/sbin/sshd" : undefined))).toEqual({ lacks });
  const lines: string[] = [];
  const options = { home: keys, folder: () => keys, tag: "T", log: (line: string) => lines.push(line) };
  expect(sshDoors(options, { lacks })).toBeUndefined();
  expect(lines).toEqual([`no SSH: this computer lacks ${lacks}, so nobody answers at ssh_host`]);
});

test.skipIf(server.path === undefined)(
  "lets the account's key in, at the proxy's port and its own, on its own disk, and shows no env but that of the system's file",
  async () => {
    await using account = await open();
    const env = { SEEN: "no secret", HIDDEN: "x" };
    // Seed, create rule 8.
    const row = await account.rent({ env, onstart: 'env | grep ^SEEN= >>/etc/environment; echo "$HIDDEN" >~/hidden' });
    await expect.poll(() => ssh(row, "cat hidden || true")).toBe("x");
    const root = account.simulator.machines?.root(row.id) ?? "";
    expect(await ssh(row, "pwd; echo $PATH; id -un")).toBe(`${join(root, "root")}\n${join(root, "bin")}\nroot`);
    const seen = await ssh(row, "env");
    expect(seen).toContain("SEEN=no secret");
    for (const name of ["HIDDEN", "CONTAINER_API_KEY", "CONTAINER_ID"]) expect(seen).not.toContain(`${name}=`);
    // This computer's own is another file.
    expect(existsSync("/etc/environment") ? readFileSync("/etc/environment", "utf8") : "").not.toContain("SEEN=");
    const direct = { ssh_host: row.public_ipaddr.trim(), ssh_port: Number(row.ports?.["22/tcp"]?.[0]?.HostPort) };
    expect(await ssh(direct, "nvidia-smi -L")).toMatch(/^GPU 0: NVIDIA GeForce RTX 4090/);
    await expect(ssh(row, "exit 7")).rejects.toMatchObject({ code: 7 });
    await account.ask("DELETE", `/instances/${row.id}/`);
    expect((await account.rent({ runtype: "args" })).ssh_host).toMatch(/\.service\.invalid$/);
  },
);
