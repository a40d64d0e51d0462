import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { copyRepository, playProject, ROOT } from "../copy.ts";
import { type DrawnMutant, mutated } from "./draw-sample.ts";
import { isNoticed, readResults } from "./results.ts";

/** The kinds that play the whole action; the first red one ends the play. */
export const OTHER_KINDS = ["stories", "scenarios", "chaos", "onstart"] as const;

/** Plays mutants against the other kinds, one after the other; goes on where an earlier run was ended. */
export async function playSurvivors(
  mutants: readonly DrawnMutant[],
  { results, until }: { results: string; until: number },
): Promise<void> {
  for (const mutant of mutants) {
    const known = readResults(results).filter(({ id }) => id === mutant.id);
    const isOver = OTHER_KINDS.every((kind) => known.some((each) => each.kind === kind)) || known.some(isNoticed);
    if (isOver) continue;
    if (Date.now() >= until) {
      console.log("Time is up. The same command goes on.");
      return;
    }
    const folder = copyRepository();
    try {
      const text = readFileSync(join(ROOT, mutant.fileName), "utf8");
      writeFileSync(join(folder, mutant.fileName), mutated(text, mutant));
      await playOne(mutant, folder, results);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

async function playOne({ id, name }: DrawnMutant, folder: string, results: string): Promise<void> {
  for (const kind of OTHER_KINDS) {
    const known = readResults(results).some((each) => each.id === id && each.kind === kind);
    if (known) continue;
    const end = { green: "missed", red: "caught", hangs: "hangs" }[await playProject(folder, kind)];
    appendFileSync(results, `${JSON.stringify({ id, kind, end })}\n`);
    console.log(`${kind}: ${end}: ${name}`);
    if (end !== "missed") return;
  }
}
