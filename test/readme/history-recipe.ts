import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startSimulator } from "../../simulator/start-simulator.ts";
import { type History, NO_HISTORY, readHistoryText } from "../../src/market/history.ts";
import { copyAction, runByAct } from "./act.ts";
import { actionReference, forAct, workflowsIn } from "./readme-workflow.ts";

const RECIPE = ".github/workflows/gpu-history.yml";
const FIRST_RUN = 2101;

/** Two runs of the recipe by act: the second finds what the first one saved, and adds to it. */
export async function playHistoryRecipe(): Promise<{ checks: [what: string, isGood: boolean][]; log: string }> {
  const folder = mkdtempSync(join(tmpdir(), "history-"));
  try {
    copyAction(join(folder, "ours"));
    await using sim = await startSimulator({ factor: 20 });
    const play = async (runId: number) => {
      const repository = join(folder, String(runId));
      mkdirSync(repository);
      sim.github.addRun({
        repository: "octo/gpu-lib",
        runId,
        jobs: [
          { name: "rent", labels: ["ubuntu-latest"], status: "in_progress" },
          { name: "test", labels: [`gpu-${runId}-1`], run: ["echo 12 passed"] },
        ],
      });
      const { exitCode, log } = await runByAct({
        ...{ folder: repository, sim, runId, job: "rent", env: { STAND_INS: folder } },
        files: { [RECIPE]: forAct(workflowsIn("docs/recipes/history.md").get(RECIPE) ?? "", sim.service.url) },
        repositories: {
          [actionReference()]: join(folder, "ours"),
          "actions/cache@v5": fileURLToPath(new URL("stand-ins/cache", import.meta.url)),
        },
      });
      return { exitCode, log, saved: savedBy(folder, runId) };
    };
    const first = await play(FIRST_RUN);
    const second = await play(FIRST_RUN + 1);
    const restored = second.log.includes(`Cache restored from key: gpu-history-${FIRST_RUN}-1\n`);
    const isGreen = first.exitCode === 0 && second.exitCode === 0;
    return {
      checks: [
        ["history: two runs, one after the other, are green", isGreen],
        [
          "history: the first finds nothing, and saves one boot",
          first.log.includes("Cache not found") && boots(first.saved) === 1,
        ],
        ["history: the second restores that, and saves both", restored && boots(second.saved) === 2],
        ["history: the second took the machine that had served", first.saved.size === 1 && second.saved.size === 1],
        ["history: still billing: 0 instances", sim.service.books.billingNow().length === 0],
      ],
      log: first.log + second.log,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A run's saved text under its own key; nothing where it saved nothing readable. */
function savedBy(folder: string, runId: number): History {
  const file = join(folder, "cache", `gpu-history-${runId}-1`, "gpu-history.json");
  const read = existsSync(file) ? readHistoryText(readFileSync(file, "utf8"), Number.MAX_SAFE_INTEGER) : "";
  return typeof read === "string" ? NO_HISTORY : read.machines;
}

function boots(history: History): number {
  return Array.from(history.values()).reduce((sum, machine) => sum + machine.boots.length, 0);
}
