import { templateRow, visibleTemplates } from "../../account/template-book.ts";
import { readTemplateQuery } from "../../requests/template-query.ts";
import type { Operation } from "../../service-world.ts";

/** `GET /api/v0/template/` */
export const searchTemplates: Operation = ({ query }, { templates, dialect }) => {
  const { passes, compare, columns } = readTemplateQuery(query, dialect);
  const found = visibleTemplates(templates).filter(passes).toSorted(compare).map(templateRow);
  if (dialect === "seed") return { status: 200, body: { templates: found } };
  // The service documents a "no" for a search that finds none.
  if (found.length === 0) return { status: 200, body: { success: false, msg: "No templates found" } };
  const rows = columns
    ? found.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => columns.includes(name))))
    : found;
  return { status: 200, body: { success: true, templates_found: rows.length, templates: rows } };
};
