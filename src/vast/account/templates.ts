import { type CallOptions, type ContextOf, call } from "../call.ts";
import { createTemplate } from "../endpoints/create-template.ts";
import { currentUser } from "../endpoints/current-user.ts";
import { deleteTemplate } from "../endpoints/delete-template.ts";
import { editTemplate, editTemplateById, type TemplateChanges } from "../endpoints/edit-template.ts";
import type { CreatedTemplate, Template, TemplateContent, TemplateFilters } from "../schemas/template.ts";
import type { ServiceClient } from "../service-client.ts";
import { NotFoundError } from "../service-errors.ts";

/** Visible templates, and the account's own to change. Throws as ServiceClient does. */
export class Templates {
  readonly #client: ServiceClient;
  readonly #context: ContextOf;

  constructor(client: ServiceClient, context: ContextOf) {
    this.#client = client;
    this.#context = context;
  }

  /** Templates for which all filters hold; without a filter all visible ones. No free text. */
  search(filters: TemplateFilters = {}, options?: CallOptions): Promise<Template[]> {
    return this.#client.searchTemplates(filters, options);
  }

  /** Stores a template. The same content again may give the one that is there. */
  create(content: TemplateContent, options?: CallOptions): Promise<CreatedTemplate> {
    return call(createTemplate, content, this.#context(options));
  }

  /**
   * Changes what is named and keeps the rest. The template gets another hash, which is in the
   * answer; the old one ends. NotFoundError: no template has this hash.
   */
  async edit(hashId: string, changes: TemplateChanges, options?: CallOptions): Promise<Template> {
    const old = await this.#find(hashId, options);
    try {
      if (old?.id !== undefined) return await call(editTemplateById, { old, changes }, this.#context(options));
    } catch (error) {
      // A service of the specification's letter has no such address.
      if (!(error instanceof NotFoundError)) throw error;
    }
    return await call(editTemplate, { hashId, changes }, this.#context(options));
  }

  /** Deletes by the numeric id; today's service takes the hash, too. NotFoundError: none. */
  async delete(template: number | string, options?: CallOptions): Promise<void> {
    await call(deleteTemplate, template, this.#context(options));
  }

  /** Several people's templates can share a hash, made of the content: the account's is meant. */
  async #find(hashId: string, options?: CallOptions): Promise<Template | undefined> {
    const found = await this.search({ hash_id: { eq: hashId } }, options);
    if (found.length <= 1) return found[0];
    const { id } = await call(currentUser, undefined, this.#context(options));
    return found.find(({ creator_id }) => creator_id === id);
  }
}
