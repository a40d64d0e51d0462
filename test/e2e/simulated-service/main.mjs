// Starts the simulator, which outlives this step, and waits for its address; after `npm ci`.
import { spawn } from "node:child_process";
import { appendFileSync, mkdtempSync, openSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const { env } = process;
const folder = mkdtempSync(join(env.RUNNER_TEMP ?? tmpdir(), "simulated-service-"));
const log = join(folder, "log");
const root = fileURLToPath(new URL("../../../", import.meta.url));
const child = spawn(process.execPath, [join(root, "simulator/cli.ts")], {
  cwd: root,
  detached: true,
  stdio: ["ignore", openSync(log, "w"), openSync(join(folder, "requests"), "w")],
});
child.unref();
appendFileSync(env.GITHUB_STATE ?? "", `pid=${child.pid}\nfolder=${folder}\n`);

/** The simulator's words on itself, a word and a value a line. */
async function greeting() {
  for (let tries = 0; tries < 150; tries += 1) {
    const said = new Map(
      readFileSync(log, "utf8")
        .split("\n")
        .map((line) => [line.split(" ")[0], line.split(" ")[1]]),
    );
    if (said.has("api-key")) return said;
    await sleep(200);
  }
  throw new Error(`The simulator did not start:\n${readFileSync(join(folder, "requests"), "utf8")}`);
}

const said = await greeting();
appendFileSync(env.GITHUB_STATE ?? "", `url=${said.get("service")}\n`);
appendFileSync(env.GITHUB_OUTPUT ?? "", `url=${said.get("service")}\napi-key=${said.get("api-key")}\n`);
console.log(`The simulated service is at ${said.get("service")}.`);
