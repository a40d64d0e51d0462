import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sshDoors } from "../../simulator/machine/ssh/ssh-doors.ts";
import { findSshServer } from "../../simulator/machine/ssh/ssh-server.ts";
import { type Simulator, startSimulator } from "../../simulator/start-simulator.ts";

const run = promisify(execFile);
const server = findSshServer();

let keys: string;
beforeAll(async () => {
  keys = mkdtempSync(join(tmpdir(), "ssh-keys-"));
  for (const name of ["account", "other"]) {
    await run("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", name, "-f", join(keys, name)]);
  }
});
afterAll(() => rmSync(keys, { recursive: true, force: true }));

const publicKey = (name: string) => readFileSync(join(keys, `${name}.pub`), "utf8").trim();
const CLIENT = "BatchMode=yes StrictHostKeyChecking=no UserKnownHostsFile=/dev/null LogLevel=ERROR IdentitiesOnly=yes";
const options = (name: string) => [
  ...["-F", "/dev/null", "-i", join(keys, name)],
  ...CLIENT.split(" ").flatMap((option) => ["-o", option]),
];

interface Row {
  id: number;
  actual_status: string | null;
  ssh_host: string;
  ssh_port: number;
  public_ipaddr: string;
  ports?: Record<string, { HostPort: string }[]>;
}

class Account implements AsyncDisposable {
  readonly simulator: Simulator;
  constructor(simulator: Simulator) {
    this.simulator = simulator;
  }

  static async open(): Promise<Account> {
    const scenario = { user: { ssh_key: publicKey("account") } };
    return new Account(await startSimulator({ factor: 50, ssh: true, scenario }));
  }

  async ask(method: string, path: string, body?: unknown) {
    const { url, apiKey } = this.simulator.service;
    const response = await fetch(`${url}/api/v0${path}`, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: JSON.parse(await response.text()) };
  }

  /** Rents a machine and waits until it runs. */
  async rent(more: object = {}): Promise<Row> {
    const config = { image: "debian:13", runtype: "ssh_direct", disk: 8, ...more };
    const { body } = await this.ask("PUT", "/asks/11/", config);
    return this.running(body.new_contract);
  }

  async row(id: number): Promise<Row> {
    return (await this.ask("GET", `/instances/${id}/`)).body.instances;
  }

  async running(id: number): Promise<Row> {
    await until(async () => (await this.row(id)).actual_status === "running");
    return this.row(id);
  }

  [Symbol.asyncDispose]() {
    return this.simulator[Symbol.asyncDispose]();
  }
}

/** Asks again until it is so; the test's own limit ends it. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await delay(50);
}

const LOGIN = process.getuid?.() === 0 ? "root" : (process.env.USER ?? "root");

async function ssh({ ssh_host, ssh_port }: Pick<Row, "ssh_host" | "ssh_port">, command: string, key = "account") {
  const { stdout } = await run("ssh", [...options(key), "-p", String(ssh_port), `${LOGIN}@${ssh_host}`, command]);
  return stdout.trim();
}

/** The words of ssh when it does not get in. */
async function refused(row: Row, key = "account"): Promise<string> {
  try {
    return `let in: ${await ssh(row, "true", key)}`;
  } catch (fault) {
    return (fault as { stderr: string }).stderr;
  }
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

test("says what this computer lacks, and names no address where nobody answers", async () => {
  const lines: string[] = [];
  await using simulator = await startSimulator({ ssh: true, log: (line) => lines.push(line) });
  const told = lines.filter((line) => line.startsWith("no SSH: this computer lacks "));
  expect(told).toHaveLength(server.path === undefined ? 1 : 0);
  expect(simulator.machines?.sshHost?.(7) === undefined).toBe(server.path === undefined);
});

describe.skipIf(server.path === undefined)("a machine with OpenSSH's server", () => {
  test("lets the account's key in, at the proxy's port and its own, on its own disk", async () => {
    await using account = await Account.open();
    const row = await account.rent({ onstart: "echo from onstart >~/note" });
    await until(async () => (await ssh(row, "cat note || true")) === "from onstart");
    expect(await ssh(row, "pwd; echo $PATH; id -un")).toBe(
      ["root", "bin"]
        .map((part) => join(account.simulator.machines?.root(row.id) ?? "", part))
        .join("\n")
        .concat("\nroot"),
    );
    const direct = { ssh_host: row.public_ipaddr.trim(), ssh_port: Number(row.ports?.["22/tcp"]?.[0]?.HostPort) };
    expect(await ssh(direct, "nvidia-smi -L")).toMatch(/^GPU 0: NVIDIA GeForce RTX 4090/);
    await expect(ssh(row, "exit 7")).rejects.toMatchObject({ code: 7 });
  });

  test("seed, create rule 8: env is not visible in a session unless the onstart wrote it to the system's file", async () => {
    await using account = await Account.open();
    const env = { SEEN: "no secret", HIDDEN: "x" };
    const row = await account.rent({ env, onstart: 'echo "$HIDDEN" >~/hidden; env | grep ^SEEN= >>/etc/environment' });
    await until(async () => (await ssh(row, "cat hidden || true")) === "x");
    await until(async () => (await ssh(row, "env")).includes("SEEN=no secret"));
    const seen = await ssh(row, "env");
    for (const name of ["HIDDEN", "CONTAINER_API_KEY", "CONTAINER_ID"]) expect(seen).not.toContain(`${name}=`);
    // This computer's own is another file.
    expect(existsSync("/etc/environment") ? readFileSync("/etc/environment", "utf8") : "").not.toContain("SEEN=");
  });

  test("scp brings files to and fro", async () => {
    await using account = await Account.open();
    const { ssh_host, ssh_port } = await account.rent();
    const there = `${LOGIN}@${ssh_host}:of-account`;
    await run("scp", [...options("account"), "-P", String(ssh_port), join(keys, "account.pub"), there]);
    await run("scp", [...options("account"), "-P", String(ssh_port), there, join(keys, "back")]);
    expect(readFileSync(join(keys, "back"), "utf8").trim()).toBe(publicKey("account"));
  });

  test("keys are attached and detached one by one; an unknown one, or an unknown instance, is told", async () => {
    await using account = await Account.open();
    const row = await account.rent();
    expect(await refused(row, "other")).toContain("Permission denied (publickey)");
    const attach = { ssh_key: publicKey("other") };
    for (const _twice of [1, 2])
      expect((await account.ask("POST", `/instances/${row.id}/ssh/`, attach)).status).toBe(200);
    expect(await ssh(row, "echo in", "other")).toBe("in");
    const listed = JSON.parse((await account.ask("GET", `/instances/${row.id}/ssh/`)).body.ssh_keys);
    expect(listed.map((key: { public_key: string }) => key.public_key)).toEqual(["account", "other"].map(publicKey));
    const [mine, other] = listed.map(({ id }: { id: number }) => `/instances/${row.id}/ssh/${id}/`);
    expect((await account.ask("DELETE", other)).body.success).toBe(true);
    expect(await refused(row, "other")).toContain("Permission denied (publickey)");
    expect(await account.ask("DELETE", other)).toMatchObject({ status: 404, body: { error: "no_such_ssh_key" } });
    expect(await ssh(row, "echo in")).toBe("in");
    expect((await account.ask("DELETE", mine)).status).toBe(200);
    expect(await refused(row)).toContain("Permission denied (publickey)");
    expect((await account.ask("POST", "/instances/1/ssh/", attach)).status).toBe(404);
    expect((await account.ask("DELETE", "/instances/1/ssh/1/")).status).toBe(404);
  });

  test("a session ends with its machine, and a stopped machine lets nobody in until it runs again", async () => {
    await using account = await Account.open();
    const row = await account.rent();
    const session = ssh(row, "echo $$ >~/pid; exec sleep 100000").catch((fault) => fault);
    await until(async () => (await ssh(row, "cat pid || true")).match(/^\d+$/) !== null);
    const pid = await ssh(row, "cat pid");
    await account.ask("PUT", `/instances/${row.id}/`, { state: "stopped" });
    expect(await session).toMatchObject({ code: 255 });
    expect(() => process.kill(Number(pid), 0)).toThrow("ESRCH");
    expect(await refused(row)).toContain("Connection refused");
    await account.ask("PUT", `/instances/${row.id}/`, { state: "running" });
    const again = await account.running(row.id);
    expect(await ssh(again, "cat pid")).toBe(pid);
    await account.ask("DELETE", `/instances/${row.id}/`);
    await until(async () => (await refused(again)).includes("Connection refused"));
  });

  test("with runtype args nobody answers", async () => {
    await using account = await Account.open();
    expect((await account.rent({ runtype: "args" })).ssh_host).toMatch(/\.service\.invalid$/);
  });
});
