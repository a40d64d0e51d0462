import type { PlannedRun } from "./planned-run.ts";
import { checkRun } from "./rules/check-run.ts";
import { playRun } from "./world/play-run.ts";
import { ProcessList } from "./world/process-list.ts";

/**
 * Plays a run that was written down, with what is in `dist/`, and says which rules it broke: for a
 * test that keeps what chaos found.
 */
export async function playPlan(plan: PlannedRun, factor = 12): Promise<string[]> {
  using processes = new ProcessList();
  const facts = await playRun(structuredClone(plan), { factor, processes });
  return checkRun(facts).map(({ rule, text }) => `${rule}: ${text}`);
}
