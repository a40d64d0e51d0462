// Drives others' client against the simulator. Usage: drive.ts CLIENT PROGRAM (runs its script).
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { OPERATIONS } from "../../simulator/github/operation-name.ts";
import { type Simulator, type SimulatorOptions, startSimulator } from "../../simulator/start-simulator.ts";

interface ForeignClient {
  script: string;
  options?: SimulatorOptions;
  /** Where it finds the simulator. */
  env: (simulator: Simulator) => Record<string, string>;
}

const service = ({ service: { url, apiKey } }: Simulator) => ({ VAST_URL: url, VAST_API_KEY: apiKey });

const ORG_TOKEN = "ghs_of_the_organisation";
const SEEING_TOKEN = "ghs_that_sees_more";
const more = {
  [SEEING_TOKEN]: { name: "sees", kind: "integration", permissions: { contents: "read", checks: "read" } },
  [ORG_TOKEN]: { name: "org", kind: "integration", permissions: { organization_self_hosted_runners: "write" } },
} as const;
const github = ({ github: { url, runnerToken, jobToken } }: Simulator) => ({
  GITHUB_URL: url,
  RUNNER_TOKEN: runnerToken,
  JOB_TOKEN: jobToken,
  ORG_TOKEN,
  SEEING_TOKEN,
  OPERATIONS: JSON.stringify(Object.values(OPERATIONS).map(({ id }) => id)),
});

const CLIENTS: Readonly<Record<string, ForeignClient>> = {
  skypilot: {
    script: "drive-skypilot.py",
    options: { factor: 20, ssh: true, scenario: { offers: [{ id: 11 }, { id: 12 }] } },
    env: service,
  },
  githubkit: { script: "drive-githubkit.py", options: { githubTokens: more }, env: github },
  gpuhunt: { script: "drive-gpuhunt.py", env: service },
};

/** Nothing of this computer's environment: a key of its user must not get there. */
function clientEnv(home: string, simulator: Simulator, { env }: ForeignClient): Record<string, string> {
  return { PATH: process.env.PATH ?? "", HOME: home, TMPDIR: home, ...env(simulator) };
}

/** Throws when the client asked for things that the simulator does not have. */
function refuseStrays({ service, github }: Simulator): void {
  const ofGithub = github.journal.entries.filter(({ operation, path }) => !operation && !path.startsWith("/_control/"));
  const strays = [...service.journal.strays(), ...ofGithub].map(({ method, path }) => `${method} ${path}`);
  if (strays.length > 0) throw new Error(`The simulator has no ${strays.join(", ")}`);
}

function refuseBilling({ service: { books } }: Simulator): void {
  const billing = [...books.billingNow(), ...books.volumesNow()];
  if (billing.length > 0) throw new Error(`Something bills: ${JSON.stringify(billing)}`);
}

async function drive(client: ForeignClient, program: string): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "foreign-client-"));
  try {
    await using simulator = await startSimulator(client.options);
    const script = fileURLToPath(new URL(client.script, import.meta.url));
    const child = spawn(program, [script], { env: clientEnv(home, simulator, client), cwd: home, stdio: "inherit" });
    const [code] = await once(child, "exit");
    if (code !== 0) throw new Error(`${client.script} ended with ${code}`);
    refuseStrays(simulator);
    refuseBilling(simulator);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

const [name = "", program] = process.argv.slice(2);
const client = CLIENTS[name];
if (!client || program === undefined) throw new Error(`Usage: drive.ts ${Object.keys(CLIENTS).join("|")} PROGRAM`);
await drive(client, program);
console.log(`${name}: all as it expects; nothing bills.`);
