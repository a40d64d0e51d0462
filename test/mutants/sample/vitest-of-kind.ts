import config from "../../../vitest.config.ts";

/**
 * The tests of one kind alone. StrykerJS changes src only in its own process, so a test that gives
 * src to another program (the compiler) says nothing about a mutant.
 */
const kind = process.env.MUTANTS_KIND;
const STARTS_A_PROGRAM = ["test/contract/client-package.test.ts"];
const projects = (config.test?.projects ?? [])
  .filter((project) => typeof project === "object" && "test" in project && project.test?.name === kind)
  .map((project) => ({ ...Object(project), test: { ...Object(project).test, exclude: STARTS_A_PROGRAM } }));

// biome-ignore lint/style/noDefaultExport: vitest reads it
export default { test: { projects } };
