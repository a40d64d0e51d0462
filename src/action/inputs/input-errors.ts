import { KnownError } from "../../known-error.ts";

/** The workflow file: every input that is wrong, one a line. */
export class InputError extends KnownError {
  override readonly name = "InputError";

  constructor(faults: readonly string[], consequence: string) {
    const count = faults.length === 1 ? "One input is wrong" : `${faults.length} inputs are wrong`;
    super(`${count}. ${consequence}\n${faults.map((fault) => `- ${fault}`).join("\n")}`, {
      hint: "Correct the `with:` block of this step; the README lists every input.",
    });
  }
}

/** The run has no secrets: a pull request from a fork, or Dependabot. */
export class NoSecretsError extends KnownError {
  override readonly name = "NoSecretsError";

  constructor(consequence: string) {
    super(`This run has no secrets: api-key is empty. ${consequence}`, {
      hint:
        "Runs of forks and of Dependabot get no secrets: add the `if:` of the README to the job that rents and to the GPU job. " +
        "Otherwise create the secret that api-key names.",
    });
  }
}
