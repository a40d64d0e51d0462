import { UserError } from "../shared/user-error.ts";

/** One input's fault, in a line that begins with its name. */
export interface InputFault {
  name: string;
  line: string;
}

/** The workflow file: every input that is wrong, one a line. */
export class InputError extends UserError {
  override readonly name = "InputError";

  constructor(faults: readonly InputFault[], consequence: string) {
    const names = [...new Set(faults.map(({ name }) => name))];
    const count = names.length === 1 ? "One input is wrong" : `${names.length} inputs are wrong`;
    const lines = faults.map(({ line }) => `- ${line}`).join("\n");
    super(`${count}: ${names.join(", ")}. ${consequence}\n${lines}`, {
      hint: "Correct the `with:` block of the step, or of the call; docs/inputs.md lists every input.",
    });
  }
}

/** The run has no secrets: a fork, Dependabot, or a job that does not name its environment. */
export class NoSecretsError extends UserError {
  override readonly name = "NoSecretsError";

  constructor(consequence: string) {
    super(`api-key is empty: this run has no secrets, or none of that name. ${consequence}`, {
      hint:
        "Runs of forks and of Dependabot get no secrets: add the `if:` of the README to the job that rents and to the GPU job. " +
        "In any other run create the secret; where it is one of an environment, the job must name that (`environment: gpu`).",
    });
  }
}

/** The workflow file: the job that rents is one of a matrix in which one failure cancels all. */
export class FailFastError extends UserError {
  override readonly name = "FailFastError";

  constructor(jobs: number, consequence: string) {
    super(
      `This job is one of ${jobs} of a matrix with fail-fast on: the first of them that fails would cancel the others, and take their machines from running GPU jobs. ${consequence}`,
      {
        hint:
          "Take the matrix off the job that rents: one such job serves every GPU job of the run that asks for its label. " +
          "Or set strategy: { fail-fast: false } on it, and give each its own name.",
      },
    );
  }
}
