import { z } from "zod";
import { ownTemplate } from "../../account/template-book.ts";
import type { Operation } from "../../service-world.ts";
import { Refusal } from "../../traffic/refusal.ts";

const ById = z.strictObject({ template_id: z.int() });
const ByHash = z.strictObject({ hash_id: z.string() });

/** `DELETE /api/v0/template/`: by the numeric id; as observed also by the hash. */
export const deleteTemplate: Operation = ({ body }, { templates, dialect }) => {
  const byId = ById.safeParse(body).data;
  const byHash = dialect === "observed" ? ByHash.safeParse(body).data : undefined;
  if (!byId && !byHash) throw new Refusal(400, { error: "invalid_args", msg: "template_id must be a number" });
  const template = ownTemplate(templates, (each) =>
    byId ? each.id === byId.template_id : each.hash_id === byHash?.hash_id,
  );
  templates.splice(templates.indexOf(template), 1);
  return { status: 200, body: { success: true } };
};
