import { GithubUnavailableError } from "../../../src/github/github-errors.ts";
import type { Run } from "../../../src/github/runs.ts";
import { type EarlierJobs, readEarlierRuns } from "../../../src/history/earlier-runs.ts";
import { KeptHistory } from "../../../src/history/kept-history.ts";
import { recordKey, recordLines } from "../../../src/history/records.ts";

const KEY = recordKey({ apiKey: "bench", repositoryId: 1, workflow: ".github/workflows/gpu.yml" });

interface PastLog {
  run: number;
  startedAt: number;
  endedAt: number;
  text: string;
}

/** The logs of a workflow's runs, from which each run reads what those before it knew, as the action does. */
export class RunLogs implements EarlierJobs {
  readonly #logs: PastLog[] = [];
  readonly #isGone: (run: number) => boolean;

  /** `isGone`: the log of that run can't be read. */
  constructor(isGone: (run: number) => boolean = () => false) {
    this.#isGone = isGone;
  }

  ownName = async () => "rent";
  listRuns = async () => this.#logs.toReversed().slice(0, 20).map(asListed);
  listJobs = async ({ id }: { id: number }) => [
    { id, name: "rent", status: "completed", conclusion: "success", labels: ["ubuntu-latest"] },
  ];

  async readLog(id: number): Promise<string> {
    const log = this.#logs.find(({ run }) => run === id);
    if (log === undefined || this.#isGone(id)) throw new GithubUnavailableError("read the log of a job", "it is gone");
    return log.text;
  }

  /** What the next run knows as it begins. */
  async read(now: number): Promise<KeptHistory> {
    const history = new KeptHistory();
    const run = { runId: this.#logs.length + 1, attempt: 1, key: KEY, now };
    history.arrived(await readEarlierRuns(this, run, new AbortController().signal));
    return history;
  }

  /** As post prints at the end of a run. */
  write(history: KeptHistory, startedAt: number, endedAt: number): void {
    const run = this.#logs.length + 1;
    const head = { run, attempt: 1, at: endedAt, isWhole: history.earlier.isWhole };
    const text = recordLines(history.toHandOn(endedAt), head, KEY).join("\n");
    this.#logs.push({ run, startedAt, endedAt, text });
  }
}

function asListed({ endedAt, run, startedAt }: PastLog): Run {
  const of = { headBranch: "main", headSha: "", isOfFork: false, startedAt, updatedAt: endedAt };
  return { id: run, attempt: 1, status: "completed", conclusion: "success", ...of };
}
