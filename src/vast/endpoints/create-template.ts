import { z } from "zod";
import type { Endpoint } from "../endpoint.ts";
import { type CreatedTemplate, createdTemplateSchema, type TemplateContent } from "../schemas/template.ts";

/** Seed, Create template. */
export const createTemplate: Endpoint<TemplateContent, CreatedTemplate> = {
  operation: "create template",
  method: "POST",
  path: () => "/api/v0/template/",
  body: (content) => content,
  answer: z.looseObject({ template: createdTemplateSchema }).transform((body) => body.template),
  retry: "never",
  permission: "user_write",
  intervalMs: 3000,
};
