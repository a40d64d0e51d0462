import { z } from "zod";
import type { Endpoint } from "../endpoint.ts";
import { CONTENT_FIELDS, type Template, type TemplateContent, templateSchema } from "../schemas/template.ts";

/** The changes of an edit; all that it leaves out stays. */
export type TemplateChanges = Partial<TemplateContent>;

const common = {
  operation: "edit template",
  method: "PUT",
  answer: z.looseObject({ template: templateSchema }).transform((body) => body.template),
  retry: "never",
  permission: "user_write",
  intervalMs: 3000,
} as const;

/** Seed, Edit template: the hash and the changes alone. */
export const editTemplate: Endpoint<{ hashId: string; changes: TemplateChanges }, Template> = {
  ...common,
  path: () => "/api/v0/template/",
  body: ({ hashId, changes }) => ({ hash_id: hashId, ...changes }),
};

/** The edit as the service has it today: id, hash and all content. Not in the specification. */
export const editTemplateById: Endpoint<{ old: Template; changes: TemplateChanges }, Template> = {
  ...common,
  path: () => "/api/v1/template/",
  body: ({ old, changes }) => ({
    ...Object.fromEntries(CONTENT_FIELDS.map((field) => [field, old[field]])),
    ...changes,
    id: old.id,
    hash_id: old.hash_id,
  }),
};
