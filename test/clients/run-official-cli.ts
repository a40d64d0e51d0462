// Drives the service's official command line against `npm run simulator`, and logs in where it
// says.
// Usage: run-official-cli.ts PATH_OF_VASTAI
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { KEYS, STEPS, type Step, WRONG, writePermissions } from "./official-cli-steps.ts";

const run = promisify(execFile);

/** A simulator, started as its README says, in a session of its own: npm hands no signal on. */
async function startSimulator(): Promise<{ child: ChildProcess; url: string; apiKey: string }> {
  const child = spawn("npm", ["run", "--silent", "simulator", "--", "--factor", "4"], {
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

async function expectRefusal([says, command]: (typeof WRONG)[number], ask: Ask): Promise<void> {
  const output = await ask(command.split(" "));
  if (!says.test(output)) throw new Error(`vastai ${command} was not refused with ${says}, but:\n${output}`);
  console.log(`ok  vastai ${command}: refused`);
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
    await Promise.all(WRONG.map((wrong) => expectRefusal(wrong, ask)));
    const unknown = await strays(simulator.url);
    if (unknown.length > 0) throw new Error(`The simulator has no ${unknown.join(", ")}`);
    const books = await (await fetch(`${simulator.url}/_control/books`)).text();
    if (!/"billingNow":\[\],"volumesNow":\[\]/.test(books)) throw new Error(`Something bills: ${books}`);
    console.log(`${STEPS.length} commands worked, ${WRONG.length} wrong ones were refused; nothing bills.`);
  } finally {
    if (simulator.child.pid !== undefined) process.kill(-simulator.child.pid, "SIGTERM");
    rmSync(home, { recursive: true, force: true });
  }
}

const [program] = process.argv.slice(2);
if (program === undefined) throw new Error("Usage: run-official-cli.ts PATH_OF_VASTAI");
await main(program);
