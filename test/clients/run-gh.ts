// Drives GitHub's command line against the stand-in for GitHub. Usage: run-gh.ts PATH_OF_GH
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scaledClock } from "../../simulator/clock/sim-clock.ts";
import type { RunControl } from "../../simulator/github/runs/run-control.ts";
import { type GithubStandIn, startGithub } from "../../simulator/github/start-github.ts";
import { openGhSocket } from "../support/gh-socket.ts";

const RUN = "1001";
const IN = ["-R", "octo/gpu-lib"];

interface Step {
  words: (run: RunControl) => string[];
  /** Must be on any of its outputs. */
  says: RegExp;
  /** Default 0. */
  code?: number;
  token?: "wrong";
  /** Done before it. */
  first?: (github: GithubStandIn) => void;
}

const latest = (github: GithubStandIn) => github.runs().at(-1) as RunControl;
const run = (...words: string[]) => ["run", ...words, ...IN];
const STEPS: readonly Step[] = [
  { words: () => run("list"), says: /^in_progress\t\tA commit\tgpu\tmain\tpush\t1001\t/m },
  { words: () => run("list", "--status", "completed"), says: /^$/ },
  { words: () => run("list", "--json", "databaseId,attempt,workflowName"), says: /"attempt":1,"databaseId":1001/ },
  { words: () => ["workflow", "list", ...IN], says: /^gpu\tactive\t\d+$/m },
  { words: () => run("list", "--workflow", "gpu.yml"), says: /\t1001\t/ },
  { words: () => run("view", RUN), says: /\* rent \(ID \d+\)[\s\S]*\* test \(ID \d+\)/ },
  { words: () => run("view", RUN, "--json", "jobs"), says: /"name":"test",.*"status":"queued"/ },
  { words: (it) => run("view", "--job", String(it.job("test").id)), says: /\* test \(ID \d+\)/ },
  // It follows the links from page to page, and shows its token to the host that it asked alone.
  {
    words: () => [
      "api",
      "--paginate",
      `repos/octo/gpu-lib/actions/runs/${RUN}/jobs?per_page=1`,
      "--jq",
      ".jobs[].name",
    ],
    says: /^rent\ntest$/m,
  },
  { words: () => run("rerun", RUN), says: /cannot be rerun/, code: 1 },
  { words: () => run("cancel", RUN), says: /Request to cancel workflow 1001 submitted/ },
  {
    first: (github) => latest(github).job("rent").complete("cancelled"),
    words: () => run("cancel", RUN),
    says: /Cannot cancel a workflow run that is completed/,
    code: 1,
  },
  { words: () => run("watch", RUN, "--exit-status"), says: /has already completed with 'cancelled'/, code: 1 },
  { words: () => run("rerun", RUN, "--failed"), says: /^/ },
  { words: () => run("view", RUN, "--json", "attempt,status"), says: /"attempt":2,"status":"in_progress"/ },
  { words: () => run("view", RUN, "--attempt", "1", "--json", "conclusion"), says: /"conclusion":"cancelled"/ },
  {
    first: (github) => latest(github).forceCancel(),
    words: (it) => run("rerun", "--job", String(it.job("test").id)),
    says: /^/,
  },
  { words: () => run("cancel", "--force", RUN), says: /submitted/ },
  { words: () => run("rerun", RUN), says: /^/ },
  { words: () => run("view", RUN, "--json", "attempt,status"), says: /"attempt":4,"status":"in_progress"/ },
  { words: () => run("view", "999"), says: /HTTP 404: Not Found/, code: 1 },
  { words: () => ["run", "list", "-R", "octo/nowhere"], says: /HTTP 404: Not Found/, code: 1 },
  { words: () => run("list"), token: "wrong", says: /HTTP 401: Bad credentials/, code: 1 },
  {
    words: () => ["api", "repos/octo/gpu-lib/actions/runners"],
    says: /Resource not accessible by integration \(HTTP 403\)/,
    code: 1,
  },
];

async function ask(program: string, words: string[], env: Record<string, string>) {
  const child = spawn(program, words, { env: { PATH: process.env.PATH ?? "", NO_COLOR: "1", ...env } });
  let said = "";
  for (const output of [child.stdout, child.stderr]) output.on("data", (text: Buffer) => (said += text));
  const [code] = await once(child, "close");
  return { said, code };
}

async function drive(github: GithubStandIn, program: string, env: Record<string, string>): Promise<void> {
  for (const { first, words, says, code = 0, token } of STEPS) {
    first?.(github);
    const asked = words(latest(github));
    const answer = await ask(program, asked, { ...env, GH_TOKEN: token ?? github.jobToken });
    if (answer.code !== code || !says.test(answer.said))
      throw new Error(
        `gh ${asked.join(" ")} did not end with ${code} and ${says}, but with ${answer.code}:\n${answer.said}`,
      );
    console.log(`ok  gh ${asked.join(" ")}`);
  }
}

/** Whether a run has a pull request: gh goes on without the answer. */
const GOES_ON_WITHOUT = /^POST \/graphql$/;

function refuseStrays({ journal }: GithubStandIn): void {
  const unknown = journal.entries.filter(({ operation }) => !operation).map(({ method, path }) => `${method} ${path}`);
  const strays = unknown.filter((request) => !GOES_ON_WITHOUT.test(request));
  if (strays.length === unknown.length) throw new Error(`Nobody asks for ${GOES_ON_WITHOUT} any more: take it out.`);
  if (strays.length > 0) throw new Error(`The stand-in has no ${strays.join(", ")}`);
}

async function main(program: string): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "gh-"));
  await using github = await startGithub({ clock: scaledClock() });
  const jobs = [
    { name: "rent", labels: ["ubuntu-latest"], status: "in_progress" as const },
    { name: "test", labels: ["gpu-1"] },
  ];
  github.addRun({ repository: "octo/gpu-lib", runId: Number(RUN), jobs });
  const socket = await openGhSocket(home, github.url);
  try {
    await drive(github, program, { HOME: home, GH_CONFIG_DIR: home, GH_NO_UPDATE_NOTIFIER: "1" });
    refuseStrays(github);
    console.log(`${STEPS.length} commands worked.`);
  } finally {
    socket.close();
    rmSync(home, { recursive: true, force: true });
  }
}

const [program] = process.argv.slice(2);
if (program === undefined) throw new Error("Usage: run-gh.ts PATH_OF_GH");
await main(program);
