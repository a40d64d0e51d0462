import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Copy, ROOT } from "./copy.ts";

/** One decision of the machine's scripts, broken, and the tests that must notice. */
interface Mutant {
  /** What is wrong then. */
  readonly name: string;
  /** The text that is looked for in onstart/. It must stand there exactly once. */
  readonly find: string;
  readonly replace: string;
  readonly tests: string;
}

/** StrykerJS can't break bash. Each of these would bill for longer, or hand a secret out. */
const MUTANTS: readonly Mutant[] = [
  {
    name: "the guard does not end at its time",
    ...{ find: "if ((elapsed >= life)); then", replace: "if ((elapsed >= life + 600)); then" },
    tests: "test/onstart/term.test.ts",
  },
  {
    name: "a machine's script counts no max-lifetime",
    ...{ find: "live $((GHR_MAX_LIFETIME + 15))", replace: 'live "$GHR_MAX_UPTIME"' },
    tests: "test/onstart/several-jobs.test.ts",
  },
  {
    name: "a restart begins a new term",
    ...{ find: "read -r life <>limit || life=$GHR_MAX_UPTIME", replace: "life=$GHR_MAX_UPTIME" },
    tests: "test/onstart/several-jobs.test.ts",
  },
  {
    name: "a machine lives beyond its deadline",
    ...{ find: "((life < lived + $1)) || life", replace: "life" },
    tests: "test/onstart/term.test.ts",
  },
  {
    name: "without a proven key there are no 3 minutes",
    ...{ find: "local life=180", replace: "local life=900" },
    tests: "test/onstart/guard.test.ts",
  },
  {
    name: "a second guard starts while the first runs",
    ...{ find: "  take_lock || ", replace: "  take_lock; true || " },
    tests: "test/onstart/term.test.ts",
  },
  {
    name: "the hook does not look for id-token",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a text of the script
    ...{ find: "[[ -z ${ACTIONS_ID_TOKEN_REQUEST_URL-} ]] ||", replace: "true ||" },
    tests: "test/onstart/setup.test.ts",
  },
];

/** The script that has the text; throws a sentence unless it is exactly one place. */
function scriptWith({ name, find }: Mutant): string {
  const scripts = globSync("onstart/*.sh", { cwd: ROOT });
  const places = scripts.flatMap((script) => {
    const times = readFileSync(join(ROOT, script), "utf8").split(find).length - 1;
    return Array<string>(times).fill(script);
  });
  const [place] = places;
  if (place !== undefined && places.length === 1) return place;
  throw new Error(`"${name}" does not apply: ${JSON.stringify(find)} stands ${places.length} times. Renew its row.`);
}

/** Breaks one decision after the other in a copy of the repository; code 1: the tests of one stay green. */
export async function tryOnstart(): Promise<void> {
  const all = MUTANTS.map((mutant) => ({ ...mutant, script: scriptWith(mutant) }));
  using copy = new Copy();
  for (const tests of new Set(all.map((mutant) => mutant.tests)))
    if ((await copy.play("onstart", tests)) !== "missed") throw new Error(`${tests} is red without any mutant.`);
  for (const { find, name, replace, script, tests } of all) {
    // A function, as `$` means something in a text.
    const change = (text: string) => text.replace(find, () => replace);
    const end = await copy.broken(script, change, () => copy.play("onstart", tests));
    console.log(`${end}: ${name}`);
    if (end === "missed") process.exitCode = 1;
  }
}
