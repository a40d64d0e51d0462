import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Mutant } from "./table.ts";

/** Where a mutant's text stands; throws a sentence unless it is exactly one place. */
export function placeOf({ name, rule, find }: Mutant, root: string): string {
  const files = globSync(["src/**/*.ts", "onstart/*.sh"], { cwd: root });
  const places = files.flatMap((file) => {
    const times = readFileSync(join(root, file), "utf8").split(find).length - 1;
    return Array.from({ length: times }, () => file);
  });
  const [place] = places;
  if (place !== undefined && places.length === 1) return place;
  const where = place === undefined ? "nowhere in src/ or onstart/" : `${places.length} times`;
  throw new Error(`"${name}" does not apply: ${JSON.stringify(find)} stands ${where}. Renew its row (rule: ${rule}).`);
}

/** Breaks the decision in a copy of the repository. */
export function applyMutant(mutant: Mutant, root: string): void {
  const file = join(root, placeOf(mutant, root));
  // A function, as `$` means something in a text.
  writeFileSync(
    file,
    readFileSync(file, "utf8").replace(mutant.find, () => mutant.replace),
  );
}
