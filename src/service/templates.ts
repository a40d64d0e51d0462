import { type CallContext, call, type Limits } from "./call.ts";
import { createTemplate } from "./endpoints/create-template.ts";
import { currentUser } from "./endpoints/current-user.ts";
import { deleteTemplate } from "./endpoints/delete-template.ts";
import { editTemplate, editTemplateById, type TemplateChanges } from "./endpoints/edit-template.ts";
import { searchTemplates } from "./endpoints/search-templates.ts";
import type { CreatedTemplate, Template, TemplateContent, TemplateFilters } from "./schemas/template.ts";
import { NotFoundError, RequestRejectedError } from "./service-errors.ts";

type Context = (limits?: Limits) => CallContext;

/** The templates that the account can see, and its own to change. Methods throw as those of ServiceClient. */
export class Templates {
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  /** Templates for which all filters hold; without a filter all that the account can see. Not a search for free text. */
  async search(filters: TemplateFilters = {}, limits?: Limits): Promise<Template[]> {
    try {
      return await call(searchTemplates, filters, this.#context(limits));
    } catch (error) {
      if (isNoneFound(error)) return [];
      throw error;
    }
  }

  /** Stores a template. The same content again may give the one that is there. */
  create(content: TemplateContent, limits?: Limits): Promise<CreatedTemplate> {
    return call(createTemplate, content, this.#context(limits));
  }

  /**
   * Changes what is named and keeps the rest. The template gets another hash, which is in the answer; the old one ends.
   * NotFoundError: no template has this hash.
   */
  async edit(hashId: string, changes: TemplateChanges, limits?: Limits): Promise<Template> {
    const old = await this.#find(hashId, limits);
    try {
      if (old?.id !== undefined) return await call(editTemplateById, { old, changes }, this.#context(limits));
    } catch (error) {
      // A service of the specification's letter has no such address.
      if (!(error instanceof NotFoundError)) throw error;
    }
    return await call(editTemplate, { hashId, changes }, this.#context(limits));
  }

  /** Deletes by the numeric id; today's service takes the hash, too. NotFoundError: there is none. */
  async delete(template: number | string, limits?: Limits): Promise<void> {
    await call(deleteTemplate, template, this.#context(limits));
  }

  /** The hash is derived from the content, so that several people's templates can share one: the account's own is meant. */
  async #find(hashId: string, limits?: Limits): Promise<Template | undefined> {
    const found = await this.search({ hash_id: { eq: hashId } }, limits);
    if (found.length <= 1) return found[0];
    const { id } = await call(currentUser, undefined, this.#context(limits));
    return found.find(({ creator_id }) => creator_id === id);
  }
}

/** A search that finds none is documented as a "no" in the body: `{success: false, msg: "No templates found"}`. */
function isNoneFound(error: unknown): boolean {
  return error instanceof RequestRejectedError && error.status === 200 && /no templates found/i.test(error.sentence);
}
