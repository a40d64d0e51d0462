import type { RunControl } from "../../simulator/github/runs/run-control.ts";
import type { Simulator } from "../../simulator/start-simulator.ts";
import { openGhSocket } from "../support/gh-socket.ts";
import { follow, type Place, type Step } from "./command-line.ts";

const RUN = "1001";
const IN = ["-R", "octo/gpu-lib"];

const latest = ({ github }: Simulator) => github.runs().at(-1) as RunControl;
const run = (...words: string[]) => ["run", ...words, ...IN];
const STEPS: readonly Step[] = [
  { words: () => run("list"), says: /^in_progress\t\tA commit\tgpu\tmain\tpush\t1001\t/m },
  { words: () => run("list", "--status", "completed"), says: /^$/ },
  { words: () => run("list", "--json", "databaseId,attempt,workflowName"), says: /"attempt":1,"databaseId":1001/ },
  { words: () => ["workflow", "list", ...IN], says: /^gpu\tactive\t\d+$/m },
  { words: () => run("list", "--workflow", "gpu.yml"), says: /\t1001\t/ },
  { words: () => run("view", RUN), says: /\* rent \(ID \d+\)[\s\S]*\* test \(ID \d+\)/ },
  { words: () => run("view", RUN, "--json", "jobs"), says: /"name":"test",.*"status":"queued"/ },
  { words: ({ sim }) => run("view", "--job", String(latest(sim).job("test").id)), says: /\* test \(ID \d+\)/ },
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
    first: (sim) => latest(sim).job("rent").complete("cancelled"),
    words: () => run("cancel", RUN),
    says: /Cannot cancel a workflow run that is completed/,
    code: 1,
  },
  { words: () => run("watch", RUN, "--exit-status"), says: /has already completed with 'cancelled'/, code: 1 },
  { words: () => run("rerun", RUN, "--failed"), says: /^/ },
  { words: () => run("view", RUN, "--json", "attempt,status"), says: /"attempt":2,"status":"in_progress"/ },
  { words: () => run("view", RUN, "--attempt", "1", "--json", "conclusion"), says: /"conclusion":"cancelled"/ },
  {
    first: (sim) => latest(sim).forceCancel(),
    words: ({ sim }) => run("rerun", "--job", String(latest(sim).job("test").id)),
    says: /^/,
  },
  { words: () => run("cancel", "--force", RUN), says: /submitted/ },
  { words: () => run("rerun", RUN), says: /^/ },
  { words: () => run("view", RUN, "--json", "attempt,status"), says: /"attempt":4,"status":"in_progress"/ },
  { words: () => run("view", "999"), says: /HTTP 404: Not Found/, code: 1 },
  { words: () => ["run", "list", "-R", "octo/nowhere"], says: /HTTP 404: Not Found/, code: 1 },
  { words: () => run("list"), env: { GH_TOKEN: "wrong" }, says: /HTTP 401: Bad credentials/, code: 1 },
  {
    words: () => ["api", "repos/octo/gpu-lib/actions/runners"],
    says: /Resource not accessible by integration \(HTTP 403\)/,
    code: 1,
  },
];

/** Drives GitHub's command line against the stand-in for GitHub. */
export async function driveGh(program: string, place: Place): Promise<void> {
  const { github } = place.sim;
  const jobs = [
    { name: "rent", labels: ["ubuntu-latest"], status: "in_progress" as const },
    { name: "test", labels: ["gpu-1"] },
  ];
  github.addRun({ repository: "octo/gpu-lib", runId: Number(RUN), jobs });
  const socket = await openGhSocket(place.home, github.url);
  const ours = { HOME: place.home, GH_CONFIG_DIR: place.home, GH_TOKEN: github.jobToken };
  const env = { PATH: process.env.PATH ?? "", NO_COLOR: "1", GH_NO_UPDATE_NOTIFIER: "1", ...ours };
  try {
    await follow(
      STEPS.map((step) => ({ code: 0, ...step })),
      program,
      env,
      place,
    );
  } finally {
    socket.close();
  }
}
