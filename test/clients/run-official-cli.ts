// Drives the service's official command line against `npm run simulator`. Usage: run-official-cli.ts PATH_OF_VASTAI
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A simulator that was started as its README says, in a session of its own: npm does not hand a signal on. */
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
  command: (ids: ReadonlyMap<string, string>) => string[];
  /** What the output must hold: it ends with 0 even where the service refused. */
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

const CREATE = [
  ..."--image debian:13 --disk 10 --ssh --direct --label cli --cancel-unavail --mount-path /data".split(" "),
  ...["--onstart-cmd", "echo hello from onstart"],
];
const STEPS: readonly Step[] = [
  step(/"id": 12,/, () => "search offers gpu_name=RTX_4090 num_gpus=1 --raw".split(" ")),
  step(/"id": (5040305),/, () => "search volumes machine_id=40305 --raw".split(" "), "room"),
  step(/'volume_id': (\d+)/, (ids) => ["create", "volume", room(ids), "-s", "20", "-n", "cache"], "volume"),
  step(
    /'success': True, 'new_contract': (\d+)/,
    (ids) => ["create", "instance", "12", ...CREATE, "--link-volume", volume(ids), "--env", "-p 8000:8000 -e A=b"],
    "instance",
  ),
  step(/"actual_status": "running"/, (ids) => ["show", "instance", instance(ids), "--raw"]),
  step(/set to other/, (ids) => ["label", "instance", instance(ids), "other"]),
  step(/"label": "other"/, () => ["show", "instances", "--raw"]),
  step(/hello from onstart/, (ids) => ["logs", instance(ids), "--tail", "5"]),
  step(/Rebooting instance/, (ids) => ["reboot", "instance", instance(ids)]),
  step(/stopping instance/, (ids) => ["stop", "instance", instance(ids)]),
  step(/starting instance/, (ids) => ["start", "instance", instance(ids)]),
  step(/"credit": 2\d\./, () => ["show", "user", "--raw"]),
  step(/'success': True/, () => ["create", "ssh-key", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEexample cli@example.com"]),
  step(/cli@example\.com/, () => ["show", "ssh-keys"]),
  step(/"name": "cache"/, () => ["show", "volumes", "--raw"]),
  step(/New Template: .*'name': 'cli-template'/, () => {
    return ["create", "template", "--name", "cli-template", "--image", "debian", "--image_tag", "13"];
  }),
  step(/"name": "cli-template"/, () => ["search", "templates", "name=cli-template"]),
  step(/'apikeys': \[\{'id': \d+/, () => ["show", "api-keys"]),
  step(/'roles': \['team_owner'\]/, () => ["show", "members"]),
  step(/destroying instance/, (ids) => ["destroy", "instance", instance(ids), "-y"]),
  step(/Deleted\. \{'success': True\}/, (ids) => ["delete", "volume", volume(ids)]),
];

/** Until a step says what it must, a few times: an instance needs some seconds to boot. */
async function drive({ command, says }: Step, ids: ReadonlyMap<string, string>, ask: Ask): Promise<RegExpExecArray> {
  const words = command(ids);
  for (let tries = 1; ; tries += 1) {
    const output = await ask(words);
    const found = says.exec(output);
    if (found) return found;
    if (tries === 6) throw new Error(`vastai ${words.join(" ")} did not say ${says}, but:\n${output}`);
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

type Ask = (words: string[]) => Promise<string>;

function asker(program: string, home: string, { url, apiKey }: { url: string; apiKey: string }): Ask {
  // Nothing of this computer's environment: a key of its user must not get there.
  const env = { PATH: process.env.PATH, HOME: home, VAST_URL: url, VAST_API_KEY: apiKey, NO_COLOR: "1" };
  return async (words) => {
    const { stdout, stderr } = await run(program, words, { env });
    return stdout + stderr;
  };
}

/** What the command line asked for, and the simulator does not have. */
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
    const ask = asker(program, home, simulator);
    const ids = new Map<string, string>();
    for (const each of STEPS) {
      const [, kept] = await drive(each, ids, ask);
      if (each.keep !== undefined && kept !== undefined) ids.set(each.keep, kept);
      console.log(`ok  vastai ${each.command(ids).join(" ")}`);
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
