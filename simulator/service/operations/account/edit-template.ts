import { changeTemplate, ownTemplate, templateRow } from "../../account/template-book.ts";
import { readTemplateChanges } from "../../requests/template-body.ts";
import type { Operation } from "../../service-world.ts";
import { Refusal, unknownPath } from "../../traffic/refusal.ts";

/** `PUT /api/v0/template/`, by the hash; observed: `PUT /api/v1/template/`, by id and hash. */
export const editTemplate: Operation = ({ paged: isV1, body }, { templates, dialect }) => {
  if (isV1 && dialect === "seed") throw unknownPath();
  const { hash_id, id, ...rest } = body;
  if (typeof hash_id !== "string") throw missing("hash_id");
  if (isV1 && typeof id !== "number") throw missing("id");
  if (!isV1 && id !== undefined) throw new Refusal(400, { error: "invalid_args", msg: "id is not valid here" });
  const changes = readTemplateChanges(rest, dialect);
  const old = ownTemplate(templates, (each) => each.hash_id === hash_id && (!isV1 || each.id === id));
  const template = templateRow(changeTemplate(templates, old, changes));
  return { status: 200, body: dialect === "seed" ? { template } : { success: true, template } };
};

function missing(field: string): Refusal {
  return new Refusal(400, { error: "invalid_args", msg: `${field} is missing` });
}
