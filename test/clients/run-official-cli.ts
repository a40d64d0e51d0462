// Drives the service's official command line against `npm run simulator`, and logs in where it
// says.
// Usage: run-official-cli.ts PATH_OF_VASTAI
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A simulator, started as its README says, in a session of its own: npm hands no signal on. */
async function startSimulator(): Promise<{ child: ChildProcess; url: string; apiKey: string }> {
  const child = spawn("npm", ["run", "--silent", "simulator"], {
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const said = new Map<string, string>();
  for await (const line of createInterface({ input: child.stdout })) {
    const [name = "", value = ""] = line.split(" ");
    said.set(name, value);
    if (said.has("service") && said.has("api-key")) break;
  }
  return { child, url: said.get("service") ?? "", apiKey: said.get("api-key") ?? "" };
}

interface Step {
  /** The command line's own is the default. */
  program?: "ssh" | "scp";
  command: (ids: ReadonlyMap<string, string>) => string[];
  /** Must be in the output: it ends with 0 even where the service refused. */
  says: RegExp;
  /** The group of `says` that later steps need, and its name. */
  keep?: string;
}

const of = (name: string) => (ids: ReadonlyMap<string, string>) => ids.get(name) ?? "0";
const instance = of("instance");
const volume = of("volume");
const room = of("room");
const step = (says: RegExp, command: Step["command"], keep?: string): Step => ({
  command,
  says,
  ...(keep === undefined ? {} : { keep }),
});

const SSH = "BatchMode=yes StrictHostKeyChecking=no UserKnownHostsFile=/dev/null LogLevel=ERROR IdentitiesOnly=yes";
const KEYS = ["mine", "other"] as const;
const publicKey = (ids: ReadonlyMap<string, string>, key: (typeof KEYS)[number]) =>
  readFileSync(join(of("home")(ids), `${key}.pub`), "utf8").trim();
/** With one of the keys, to where `ssh-url` said. */
const options = (ids: ReadonlyMap<string, string>, key: (typeof KEYS)[number]) => [
  ...["-F", "/dev/null", "-i", join(of("home")(ids), key)],
  ...SSH.split(" ").flatMap((option) => ["-o", option]),
];
const logIn = (says: RegExp, key: (typeof KEYS)[number], ...command: string[]): Step => ({
  program: "ssh",
  says,
  command: (ids) => [...options(ids, key), "-p", of("port")(ids), `root@${of("host")(ids)}`, ...command],
});

const CREATE = [
  ..."--image debian:13 --disk 10 --ssh --direct --label cli --cancel-unavail --mount-path /data".split(" "),
  ...["--onstart-cmd", "echo hello from onstart; env | grep ^A= >>/etc/environment"],
];
const STEPS: readonly Step[] = [
  step(/api key has been saved/, (ids) =>
    firstRunCommand("set api-key").map((word) => word.replace("YOUR_KEY", of("key")(ids))),
  ),
  step(/'success': True/, (ids) => ["create", "ssh-key", publicKey(ids, "mine")]),
  step(/@mine/, () => ["show", "ssh-keys"]),
  step(/"id": 12,/, () => "search offers gpu_name=RTX_4090 num_gpus=1 --raw".split(" ")),
  step(/"id": (5040305),/, () => "search volumes machine_id=40305 --raw".split(" "), "room"),
  step(/'volume_id': (\d+)/, (ids) => ["create", "volume", room(ids), "-s", "20", "-n", "cache"], "volume"),
  step(
    /'success': True, 'new_contract': (\d+)/,
    (ids) => ["create", "instance", "12", ...CREATE, "--link-volume", volume(ids), "--env", "-p 8000:8000 -e A=b"],
    "instance",
  ),
  step(/"actual_status": "running"/, (ids) => ["show", "instance", instance(ids), "--raw"]),
  step(/ssh:\/\/root@([\d.]+):/, (ids) => ["ssh-url", instance(ids)], "host"),
  step(/scp:\/\/root@[\d.]+:(\d+)/, (ids) => ["scp-url", instance(ids)], "port"),
  logIn(/^A=b$/m, "mine", "env"),
  logIn(/^none$/m, "mine", "printenv CONTAINER_API_KEY || echo none"),
  {
    program: "scp",
    says: /^$/,
    command: (ids) => {
      const there = `root@${of("host")(ids)}:there`;
      return [...options(ids, "mine"), "-P", of("port")(ids), join(of("home")(ids), "mine.pub"), there];
    },
  },
  logIn(/@mine/, "mine", "cat there"),
  logIn(/Permission denied \(publickey\)/, "other", "true"),
  step(/'id': (\d+)/, (ids) => ["create", "ssh-key", publicKey(ids, "other")], "other"),
  step(/'success': True/, (ids) => ["attach", "ssh", instance(ids), publicKey(ids, "other")]),
  logIn(/^in$/m, "other", "echo in"),
  step(/'success': True/, (ids) => ["detach", "ssh", instance(ids), of("other")(ids)]),
  logIn(/Permission denied \(publickey\)/, "other", "true"),
  step(/404|no_such_ssh_key/, (ids) => ["detach", "ssh", instance(ids), of("other")(ids)]),
  step(/set to other/, (ids) => ["label", "instance", instance(ids), "other"]),
  step(/"label": "other"/, () => ["show", "instances", "--raw"]),
  step(/hello from onstart/, (ids) => ["logs", instance(ids), "--tail", "5"]),
  step(/Rebooting instance/, (ids) => ["reboot", "instance", instance(ids)]),
  step(/stopping instance/, (ids) => ["stop", "instance", instance(ids)]),
  step(/starting instance/, (ids) => ["start", "instance", instance(ids)]),
  step(/"credit": 2\d\./, () => ["show", "user", "--raw"]),
  step(/"name": "cache"/, () => ["show", "volumes", "--raw"]),
  step(/New Template: .*'name': 'cli-template'/, () => {
    return ["create", "template", "--name", "cli-template", "--image", "debian", "--image_tag", "13"];
  }),
  step(/"name": "cli-template"/, () => ["search", "templates", "name=cli-template"]),
  step(/'apikeys': \[\{'id': \d+/, () => ["show", "api-keys"]),
  step(/'key': '\w+'/, () => firstRunCommand("create api-key")),
  step(/'roles': \['team_owner'\]/, () => ["show", "members"]),
  step(/no_such_ask/, () => ["create", "instance", "999999", "--image", "debian:13"]),
  step(/401|auth_error/, () => ["show", "user", "--api-key", "wrong"]),
  step(/destroying instance/, (ids) => ["destroy", "instance", instance(ids), "-y"]),
  step(/404|no_such_instance/, (ids) => ["destroy", "instance", instance(ids), "-y"]),
  logIn(/Connection refused/, "mine", "true"),
  step(/Deleted\. \{'success': True\}/, (ids) => ["delete", "volume", volume(ids)]),
];

const FIRST_RUN = readFileSync(new URL("../../docs/first-run.md", import.meta.url), "utf8");

/** A command of docs/first-run.md that begins so, without the program's name. */
function firstRunCommand(start: string): string[] {
  const [, command = ""] = new RegExp(`^vastai (${start} .+)$`, "m").exec(FIRST_RUN) ?? [];
  return command.split(" ");
}

/** The key's permissions, in the file that the command names. */
function writePermissions(folder: string): void {
  const [, json = ""] = /```json\n(\{"api": .+\})\n```/.exec(FIRST_RUN) ?? [];
  JSON.parse(json);
  writeFileSync(join(folder, "ci-key.json"), json);
}

/** Until a step says what it must, a few times: an instance needs some seconds to boot. */
async function drive(
  { program, command, says }: Step,
  ids: ReadonlyMap<string, string>,
  ask: Ask,
): Promise<RegExpExecArray> {
  const words = command(ids);
  for (let tries = 1; ; tries += 1) {
    const output = await ask(words, program);
    const found = says.exec(output);
    if (found) return found;
    if (tries === 6) throw new Error(`${program ?? "vastai"} ${words.join(" ")} did not say ${says}, but:\n${output}`);
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

type Ask = (words: string[], program?: string) => Promise<string>;

function asker(vastai: string, home: string, url: string): Ask {
  // Nothing of this computer's environment: a key of its user must not get there.
  const env = { PATH: process.env.PATH, HOME: home, VAST_URL: url, NO_COLOR: "1" };
  return async (words, program = vastai) => {
    try {
      const { stdout, stderr } = await run(program, words, { env, cwd: home });
      return stdout + stderr;
    } catch (fault) {
      // The output counts, however it ended.
      const { stdout = "", stderr = "" } = fault as { stdout?: string; stderr?: string };
      return stdout + stderr;
    }
  };
}

/** The command line's requests for things that the simulator does not have. */
async function strays(url: string): Promise<string[]> {
  const journal: unknown = await (await fetch(`${url}/_control/journal`)).json();
  const entries = journal as { operation: string; method: string; path: string }[];
  return entries
    .filter(({ operation }) => operation === "unknown-route")
    .map(({ method, path }) => `${method} ${path}`);
}

async function main(program: string): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "official-cli-"));
  const simulator = await startSimulator();
  try {
    writePermissions(home);
    const ask = asker(program, home, simulator.url);
    const ids = new Map([
      ["home", home],
      ["key", simulator.apiKey],
    ]);
    for (const key of KEYS)
      await run("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", `@${key}`, "-f", join(home, key)]);
    for (const each of STEPS) {
      const [, kept] = await drive(each, ids, ask);
      if (each.keep !== undefined && kept !== undefined) ids.set(each.keep, kept);
      console.log(`ok  ${each.program ?? "vastai"} ${each.command(ids).join(" ")}`);
    }
    const unknown = await strays(simulator.url);
    if (unknown.length > 0) throw new Error(`The simulator has no ${unknown.join(", ")}`);
    const books = await (await fetch(`${simulator.url}/_control/books`)).text();
    if (!/"billingNow":\[\],"volumesNow":\[\]/.test(books)) throw new Error(`Something bills: ${books}`);
    console.log(`${STEPS.length} commands worked; nothing bills.`);
  } finally {
    if (simulator.child.pid !== undefined) process.kill(-simulator.child.pid, "SIGTERM");
    rmSync(home, { recursive: true, force: true });
  }
}

const [program] = process.argv.slice(2);
if (program === undefined) throw new Error("Usage: run-official-cli.ts PATH_OF_VASTAI");
await main(program);
