import type { Template } from "../../scenario/scenario.ts";
import { invalidRequest } from "../traffic/refusal.ts";

/** The filters that a search takes over from the template it names by its number; none for none. */
export function filtersOfTemplate(id: unknown, templates: readonly Template[]): Readonly<Record<string, unknown>> {
  if (id === undefined || id === null) return {};
  const template = templates.find((each) => each.id === Number(id));
  // SPEC-SILENT: a number that no template has.
  if (!template) throw invalidRequest("template_id: no such template");
  const { extra_filters: filters } = template;
  return typeof filters === "string" ? JSON.parse(filters) : filters;
}
