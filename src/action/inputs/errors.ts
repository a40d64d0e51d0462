import type { Template } from "../../marketplace/marketplace.ts";
import { NOTHING_RENTED } from "../../money/errors.ts";
import { oneLine } from "../../shared/foreign-text.ts";
import { UserError } from "../../shared/user-error.ts";

/** What is wrong with an input, as the end of a sentence. */
export interface NamedFault {
  name: string;
  wrong: string;
}

/** Says which inputs of the workflow file are wrong, one a line. */
export class InputError extends UserError {
  constructor(faults: readonly NamedFault[], consequence: string) {
    const names = [...new Set(faults.map(({ name }) => name))];
    const count = names.length === 1 ? "One input is wrong" : `${names.length} inputs are wrong`;
    const lines = faults.map(({ name, wrong }) => `- ${name}: ${wrong}`).join("\n");
    super(`${count}: ${names.join(", ")}. ${consequence}\n${lines}`, {
      hint: "Correct the `with:` block of the step; docs/inputs.md lists every input.",
    });
  }
}

/** Says that the step got no secrets, as in a run of a fork or of Dependabot, or in a job without its environment. */
export class NoSecretsError extends UserError {
  /** `empty`: the inputs that got none. */
  constructor(empty: readonly string[], consequence: string) {
    const names = empty.join(" and ");
    const hint =
      "Runs of forks and of Dependabot get no secrets: add the `if:` of the README to the job that rents and to the GPU job. " +
      "To give a fork's pull request a GPU, a maintainer reads it and pushes its branch to this repository. " +
      `In any other run create the secret that the workflow gives to ${names}. Where it is one of an environment, the job must name that (\`environment: gpu\`). ` +
      "Where a step makes the token, its name must be that of the step's id.";
    const what = `${names} ${empty.length === 1 ? "is" : "are"} empty: this run has no secrets, or none of that name. ${consequence}`;
    super(what, { hint });
  }
}

/** Says that the job that rents is one of a matrix in which one failure cancels all jobs. */
export class FailFastError extends UserError {
  constructor(jobs: number, consequence: string) {
    const hint =
      "Take the matrix off the job that rents: one such job serves every GPU job of the run that asks for its label. " +
      "Or set strategy: { fail-fast: false } on it, and give each its own name.";
    const what = `This job is one of ${jobs} of a matrix with fail-fast on: the first of them that fails would cancel the others, and take their machines from running GPU jobs. ${consequence}`;
    super(what, { hint });
  }
}

const MOST_SHOWN = 8;

/** Says that no template has that name, or that several have it. */
export class TemplateNameError extends UserError {
  constructor(name: string, found: readonly Template[]) {
    const shown = found.slice(0, MOST_SHOWN).map(describeTemplate).join(", ");
    const many = `${found.length} templates are named "${name}": ${shown}`;
    super(`${found.length === 0 ? `No template is named "${name}"` : many}. ${NOTHING_RENTED}`, {
      hint:
        found.length === 0
          ? "Check template-name: it must be the template's whole name, letter by letter. Or give its hash_id as template-hash-id instead."
          : "Leave out template-name, and give the hash_id of the one that is meant as template-hash-id.",
    });
  }
}

function describeTemplate({ hash, creatorId }: Template): string {
  return `${oneLine(hash, 64)}${creatorId === undefined ? "" : ` (by user ${creatorId})`}`;
}

/** Says that a variable is missing that every step of a workflow has. */
export class PlatformError extends UserError {
  constructor(missing: readonly string[]) {
    super(`The platform did not set ${missing.join(", ")}.`, {
      hint: "Run this as a step of a GitHub Actions workflow.",
    });
  }
}

/** One thing that was asked, and what came of it. `unknown`: it can't be asked without renting. */
export interface CheckResult {
  what: string;
  state: "ok" | "failed" | "unknown";
  answer: string;
  hint: string | undefined;
}

/** Says that `check: true` found what would keep a rental from working. */
export class CheckFailedError extends UserError {
  constructor(failed: readonly CheckResult[]) {
    const count = failed.length === 1 ? "One check failed" : `${failed.length} checks failed`;
    const lines = failed.map(({ what, answer }) => `- ${what}: ${answer}`);
    const hint =
      [...new Set(failed.flatMap((each) => each.hint ?? []))].join(" ") ||
      "Correct what the lines say, and check again.";
    super(`${count}. Nothing was rented.\n${lines.join("\n")}`, { hint });
  }
}
