import { rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { applyMutant, placeOf } from "./apply.ts";
import { copyRepository, playProject, ROOT, unsoundFiles } from "./copy.ts";
import { drawMutants } from "./draw.ts";
import { runSample } from "./sample/run-sample.ts";
import { MUTANTS, type Mutant } from "./table.ts";

/**
 * `npm run mutants`: breaks one decision at a time in a copy of this repository, runs the tests
 * there, and says which mutants survive. Code 1: one does, or a row does not apply any more.
 * test/README.md has the options.
 */

interface Options {
  readonly mutants: readonly Mutant[];
  /** Projects of vitest, one after the other until one is red. */
  readonly projects: readonly string[];
  /** Runs no test. */
  readonly isCheck: boolean;
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      check: { type: "boolean", default: false },
      only: { type: "string" },
      projects: { type: "string", default: "unit,scenarios" },
      drawn: { type: "string" },
      seed: { type: "string", default: "1" },
    },
  });
  const all = values.drawn === undefined ? MUTANTS : drawMutants(Number(values.drawn), Number(values.seed), ROOT);
  const mutants = all.filter(({ name }) => name.includes(values.only ?? ""));
  if (mutants.length === 0) throw new Error("There is no such mutant.");
  return { mutants, projects: values.projects.split(","), isCheck: values.check };
}

/** The first of the projects that is red; undefined: all are green. */
async function redProject(folder: string, projects: readonly string[]): Promise<string | undefined> {
  for (const project of projects) if ((await playProject(folder, project)) !== "green") return project;
  return undefined;
}

type Fate = "survives" | "is no code" | `red in ${string}`;

/** Tries one; says how it ended. */
async function tryMutant(mutant: Mutant, projects: readonly string[]): Promise<Fate> {
  const folder = copyRepository();
  try {
    applyMutant(mutant, folder);
    // One that does not compile would be red everywhere, and prove nothing.
    if (unsoundFiles(folder).length > 0) return "is no code";
    const red = await redProject(folder, projects);
    return red === undefined ? "survives" : `red in ${red}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Without a mutant all must be green, or each red one would be one for nothing. */
async function mustBeGreen(projects: readonly string[]): Promise<void> {
  const folder = copyRepository();
  try {
    const red = await redProject(folder, projects);
    if (red !== undefined) throw new Error(`${red} is red without any mutant.`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Says of every row that does not apply what to renew; false if there is one. */
function allApply(mutants: readonly Mutant[]): boolean {
  const faults = mutants.flatMap((mutant) => {
    try {
      placeOf(mutant, ROOT);
      return [];
    } catch (fault) {
      return [String(fault)];
    }
  });
  for (const fault of faults) console.error(fault);
  return faults.length === 0;
}

async function main({ mutants, projects, isCheck }: Options): Promise<void> {
  if (!allApply(mutants)) process.exitCode = 1;
  if (isCheck || process.exitCode === 1) return;
  await mustBeGreen(projects);
  const ends: Fate[] = [];
  for (const mutant of mutants) {
    const end = await tryMutant(mutant, projects);
    console.log(`${end}: ${mutant.name}`);
    ends.push(end);
  }
  const tried = ends.filter((end) => end !== "is no code");
  const survive = tried.filter((end) => end === "survives").length;
  console.log(`${tried.length} mutants, ${survive} survive`);
  if (survive > 0 || tried.length < (mutants[0]?.rule === "drawn" ? 1 : mutants.length)) process.exitCode = 1;
}

const [command, ...args] = process.argv.slice(2);
if (command === "sample" || command === "survivors" || command === "figures") await runSample(command, args);
else await main(readOptions());
