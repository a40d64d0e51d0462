import { refusalError } from "../marketplace/errors.ts";
import { faultError, UserError } from "../shared/user-error.ts";
import type { RentOutcome } from "./rent.ts";

/** Makes the error of a rent that failed whatever the offer. `billing`: what may still bill. */
export function rentError(
  outcome: Extract<RentOutcome, { kind: "refused" | "unregistered" }>,
  billing: string,
): UserError {
  if (outcome.kind === "unregistered") return faultError(outcome.fault).and(billing);
  const { refusal, templateHash } = outcome;
  const { code, sentence, status = 0 } = refusal;
  if (code === "no-credit") return new NoCreditError(sentence, billing);
  if (code === "spend-rate") return new NoCreditError(sentence, billing, LIMIT_OF_NEW_ACCOUNTS);
  if (code === "key" || code === "permission") return refusalError(refusal).and(billing);
  if (code === "no-template" && templateHash !== undefined)
    return new TemplateUnknownError(templateHash, sentence, billing);
  return new CreateRefusedError(status, sentence, billing);
}

/** The service's own advice for an account that is new. */
const LIMIT_OF_NEW_ACCOUNTS =
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

/** The way to end a bill by hand, in a sentence that is all that some people see. */
export const DESTROY_BY_HAND =
  'Destroy it in the service\'s console, or by: curl -X DELETE -H "Authorization: Bearer $KEY" https://console.vast.ai/api/v0/instances/ID/';

/** MONEY: an instance could not be confirmed to be gone. */
export class InstanceNotDestroyedError extends UserError {
  override readonly name = "InstanceNotDestroyedError";

  constructor(what: string, reason: string, cause?: unknown) {
    super(`${what} may still be billing: its destruction could not be confirmed (${reason}).`, {
      cause,
      hint: DESTROY_BY_HAND,
    });
  }
}
