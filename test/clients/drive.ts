// Drives others' client against the simulator. Usage: drive.ts CLIENT PROGRAM (a command line, or the Python that has it).
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { OPERATIONS } from "../../simulator/github/operation-name.ts";
import { type Simulator, type SimulatorOptions, startSimulator } from "../../simulator/start-simulator.ts";
import type { Place } from "./command-line.ts";
import { driveGh } from "./gh.ts";
import { driveVastai } from "./vastai.ts";

interface ForeignClient {
  options?: SimulatorOptions;
  drive: (program: string, place: Place) => Promise<void>;
  /** What it asks for and goes on without. */
  goesOnWithout?: RegExp;
}

/** Runs a script by the client's interpreter, with where it finds the simulator and nothing of this computer's environment. */
function script(name: string, envOf: (sim: Simulator) => Record<string, string>): ForeignClient["drive"] {
  return async (program, { home, sim }) => {
    const env = { PATH: process.env.PATH ?? "", HOME: home, TMPDIR: home, ...envOf(sim) };
    const path = fileURLToPath(new URL(name, import.meta.url));
    const [code] = await once(spawn(program, [path], { env, cwd: home, stdio: "inherit" }), "exit");
    if (code !== 0) throw new Error(`${name} ended with ${code}`);
  };
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
  vastai: { options: { factor: 4, ssh: true }, drive: driveVastai },
  skypilot: {
    options: { factor: 20, ssh: true, scenario: { offers: [{ id: 11 }, { id: 12 }] } },
    drive: script("drive-skypilot.py", service),
  },
  githubkit: { options: { githubTokens: more }, drive: script("drive-githubkit.py", github) },
  gpuhunt: { drive: script("drive-gpuhunt.py", service) },
  // Whether a run has a pull request.
  gh: { options: { machines: false }, drive: driveGh, goesOnWithout: /^POST \/graphql$/ },
};

/** Throws when the client asked for things that the simulator does not have. */
function refuseStrays({ service, github }: Simulator, { goesOnWithout: known }: ForeignClient): void {
  const ofGithub = github.journal.entries.filter(({ operation, path }) => !operation && !path.startsWith("/_control/"));
  const all = [...service.journal.strays(), ...ofGithub].map(({ method, path }) => `${method} ${path}`);
  const strays = all.filter((request) => !known?.test(request));
  if (strays.length > 0) throw new Error(`The simulator has no ${strays.join(", ")}`);
  if (known && all.length === 0) throw new Error(`Nobody asks for ${known} any more: take it out.`);
}

function refuseBilling({ service: { books } }: Simulator): void {
  const billing = [...books.billingNow(), ...books.volumesNow()];
  if (billing.length > 0) throw new Error(`Something bills: ${JSON.stringify(billing)}`);
}

const [name = "", program] = process.argv.slice(2);
const client = CLIENTS[name];
if (!client || program === undefined) throw new Error(`Usage: drive.ts ${Object.keys(CLIENTS).join("|")} PROGRAM`);
const home = mkdtempSync(join(tmpdir(), "foreign-client-"));
try {
  await using sim = await startSimulator(client.options);
  await client.drive(program, { sim, home, known: new Map() });
  refuseStrays(sim, client);
  refuseBilling(sim);
} finally {
  rmSync(home, { recursive: true, force: true });
}
console.log(`${name}: all as it expects; nothing bills.`);
