import type { Template } from "../marketplace/marketplace.ts";
import { NOTHING_RENTED } from "../money/errors.ts";
import { oneLine } from "../shared/foreign-text.ts";
import { UserError } from "../shared/user-error.ts";

const MOST_SHOWN = 8;

/** The workflow file: no template has that name, or several have it. */
export class TemplateNameError extends UserError {
  override readonly name = "TemplateNameError";

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
