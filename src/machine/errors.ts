import { refusalError } from "../marketplace/errors.ts";
import type { Refusal } from "../marketplace/marketplace.ts";
import { UserError } from "../shared/user-error.ts";

/** Makes the error of a create that was refused whatever the offer. `billing`: what may still bill. */
export function createError(refusal: Refusal, templateHashId: string | undefined, billing: string): UserError {
  const { code, sentence, status = 0 } = refusal;
  if (code === "no-credit") return new NoCreditError(sentence, billing);
  if (code === "spend-rate") return new NoCreditError(sentence, billing, LIMIT_OF_NEW_ACCOUNTS);
  if (code === "key" || code === "permission") return refusalError(refusal).and(billing);
  if (code === "no-template" && templateHashId !== undefined)
    return new TemplateUnknownError(templateHashId, sentence, billing);
  return new CreateRefusedError(status, sentence, billing);
}

const LIMIT_OF_NEW_ACCOUNTS =
  "Verify the account's e-mail address, lower max-price or machines, or wait some hours: the service limits what a new account may spend an hour, and more credit does not raise it.";

/** Says that the service rents nothing to the account until it has credit, or has been known for longer. */
export class NoCreditError extends UserError {
  constructor(sentence: string, billing: string, hint = "Add credit to the service's account.") {
    super([`Vast.ai rents nothing to this account: ${sentence}.`, billing].filter(Boolean).join(" "), {
      kind: "no-machine",
      hint,
    });
  }
}

/** Says that the service refused the request itself, and would refuse it for every other offer, too. */
export class CreateRefusedError extends UserError {
  constructor(status: number, sentence: string, billing: string) {
    super(`Vast.ai refused to create the instance (${status}): ${sentence}. ${billing}`, {
      kind: "no-machine",
      hint: "Check image, disk and env.",
    });
  }
}

/** Says that the service has no template with the hash of template-hash-id. */
export class TemplateUnknownError extends UserError {
  constructor(hash: string, sentence: string, billing: string) {
    super(`Vast.ai does not take the template ${hash}: ${sentence.replace(/\.$/, "")}. ${billing}`, {
      kind: "no-machine",
      hint: "Check template-hash-id: a template gets another hash with each edit; the service's console shows the present one.",
    });
  }
}

/** Says that what must be findable could not be written down, so that nothing was rented for it. */
export class StateNotSavedError extends UserError {
  constructor(cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super(`This step's state could not be written (${why}), so no further machine is rented.`, {
      cause,
      hint: "Free space on this job's runner: each machine is written down before it is rented, so that it can be given back.",
    });
  }
}
