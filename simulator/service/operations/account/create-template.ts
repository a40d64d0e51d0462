import { addTemplate, templateRow } from "../../account/template-book.ts";
import { readTemplate } from "../../requests/template-body.ts";
import type { Operation } from "../../service-world.ts";

/** `POST /api/v0/template/` */
export const createTemplate: Operation = ({ body }, { templates, clock, dialect }) => {
  const template = templateRow(addTemplate(templates, readTemplate(body, dialect), clock.now() / 1000));
  if (dialect === "seed") return { status: 200, body: { template } };
  const msg = `Template Created Successfully! New Template ID: ${template.id}`;
  return { status: 200, body: { success: true, msg, template } };
};
