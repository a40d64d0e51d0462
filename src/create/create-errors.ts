import { UserError } from "../shared/user-error.ts";

/** The service's own advice for an account that is new. */
export const LIMIT_OF_NEW_ACCOUNTS =
  "Verify the account's e-mail address, lower max-price or machines, or wait some hours: the service limits what a new account may spend an hour, and more credit does not raise it.";

/** The account: the service wants money first, or to know it for longer. */
export class NoCreditError extends UserError {
  override readonly name = "NoCreditError";

  constructor(sentence: string, billing: string, hint = "Add credit to the service's account.") {
    super([`The service rents nothing to this account: ${sentence}.`, billing].filter(Boolean).join(" "), {
      kind: "no-machine",
      hint,
    });
  }
}

/** The request: the service refused to create, and another offer would be refused like it. */
export class CreateRefusedError extends UserError {
  override readonly name = "CreateRefusedError";

  constructor(status: number, sentence: string, billing: string) {
    super(`The service refused to create the instance (${status}): ${sentence}. ${billing}`, {
      kind: "no-machine",
      hint: "Check image, disk and env.",
    });
  }
}

/** The template: no template has that hash. */
export class TemplateUnknownError extends UserError {
  override readonly name = "TemplateUnknownError";

  constructor(hash: string, sentence: string, billing: string) {
    super(`The service does not take the template ${hash}: ${sentence}. ${billing}`, {
      kind: "no-machine",
      hint: "Check template-hash-id: a template gets another hash with each edit; the service's console shows the present one.",
    });
  }
}
