import { z } from "zod";
import type { Endpoint } from "../endpoint.ts";
import { readableRows } from "../schemas/foreign.ts";
import { type Template, type TemplateFilters, templateSchema } from "../schemas/template.ts";

/** Seed, Search templates. */
export const searchTemplates: Endpoint<TemplateFilters, Template[]> = {
  operation: "search templates",
  method: "GET",
  path: () => "/api/v0/template/",
  query: (filters) => ({ select_filters: JSON.stringify(filters) }),
  answer: z.looseObject({ templates: readableRows(templateSchema) }).transform((body) => body.templates),
  retry: "read",
  permission: "user_read",
  intervalMs: 3000,
};
