import { fullImage } from "../image/image-name.ts";
import { isAlpineImage } from "../image/image-tag.ts";
import type { Template } from "../marketplace/marketplace.ts";
import { NOTHING_RENTED } from "../money/errors.ts";
import { describeFilter, type GivenFilter } from "../offers/offer-requirements.ts";
import type { Session } from "../release/session.ts";
import { oneLine } from "../shared/foreign-text.ts";
import { orElse, UserError } from "../shared/user-error.ts";
import { InputError, TemplateNameError } from "./inputs/errors.ts";
import { type InputValues, inputSchema } from "./inputs/schema.ts";

interface TemplateFacts {
  /** The image with its tag; empty if not known. */
  image: string;
  /** The template's `extra_filters`, without those that can't be read. */
  filter: GivenFilter;
}

/** The inputs with the template's hash in place of its name, and what is known of it. */
export type ResolvedInputs = InputValues & { readonly template?: TemplateFacts };

/** The outcome of looking at the template. */
export interface ResolvedTemplate {
  inputs: Readonly<ResolvedInputs>;
  /** What was found, in words; undefined if the inputs name no template. */
  answer?: string;
  /** Why the template was not found. By its hash it can be rented all the same: the create proves that. */
  fault?: UserError;
}

/** What asking the service before anything is rented takes. */
export type AskingForTemplate = Pick<Session, "log" | "service">;

/** Looks at the template that the inputs name, and resolves its name. Throws if it can't, unless `check` is true. */
export async function resolveTemplate(
  asking: AskingForTemplate,
  inputs: Readonly<InputValues>,
  signal: AbortSignal,
): Promise<ResolvedTemplate> {
  if (`${inputs.templateName}${inputs.templateHashId}` === "") return { inputs };
  const look = () => lookAtTemplate(asking, inputs, signal);
  const instead = (fault: UserError) => withoutTemplate(asking, inputs, fault);
  const resolved = await asking.log.stage("Look at the template", () => orElse(look, instead, signal));
  refuseAlpine(resolved.inputs);
  return resolved;
}

/** Throws if the template's image is built on Alpine. The input `image` was checked before. */
function refuseAlpine({ image, template }: Readonly<ResolvedInputs>): void {
  if (image !== "" || template === undefined || !isAlpineImage(template.image)) return;
  const wrong = `must be an image with glibc, as the runner program does not start on Alpine, the template has "${template.image}"`;
  throw new InputError([{ name: "image", wrong }], NOTHING_RENTED);
}

async function lookAtTemplate(
  asking: AskingForTemplate,
  inputs: Readonly<InputValues>,
  signal: AbortSignal,
): Promise<ResolvedTemplate> {
  const template = await findTemplate(asking, inputs, signal);
  const resolved = { ...inputs, templateHashId: template.hash, template: factsOf(template, asking) };
  const answer = logTemplate(template, resolved, asking);
  return { inputs: Object.freeze(resolved), answer };
}

/** Goes on without the template's filters and image if the template is named by its hash, which the create proves. */
function withoutTemplate(
  { log }: AskingForTemplate,
  inputs: Readonly<InputValues>,
  fault: UserError,
): ResolvedTemplate {
  if (inputs.check) return { inputs, fault };
  if (inputs.templateName !== "") throw fault;
  log.warning(`The template could not be looked at: its filters and image don't count in the search. ${fault.message}`);
  return { inputs, fault };
}

async function findTemplate(
  { service }: AskingForTemplate,
  { templateName: name, templateHashId: hash }: Readonly<InputValues>,
  signal: AbortSignal,
): Promise<Template> {
  const found = await service.templates(name === "" ? { hash } : { name }, signal);
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) return only;
  throw name === ""
    ? new NoSuchTemplate(`The service shows no template with the hash_id ${hash}.`)
    : new TemplateNameError(name, found);
}

/** Says that there is no such template. It becomes a warning or the answer of a check, never an error of the step. */
class NoSuchTemplate extends UserError {}

function factsOf(template: Template, { log }: AskingForTemplate): TemplateFacts {
  const own = template.image ? fullImage(template.image) : "";
  const isImage = inputSchema.shape.image.safeParse(own).success;
  return { image: isImage ? own : "", filter: readFilters(template.filters, log) };
}

/** Reads each filter by itself. Leaves out those that are wrong, or on fields that the action sets itself. */
function readFilters(given: Readonly<Record<string, unknown>>, log: AskingForTemplate["log"]): GivenFilter {
  const read = Object.entries(given).flatMap(([field, filter]) => {
    const answer = inputSchema.shape["offer-filter"].safeParse(JSON.stringify({ [field]: filter }));
    if (!answer.success)
      log.info(`The template's filter on ${oneLine(field, 60)} is left out: ${answer.error.issues[0]?.message}.`);
    return answer.success ? Object.entries(answer.data) : [];
  });
  return Object.fromEntries(read);
}

function logTemplate(
  template: Template,
  { image, template: facts }: ResolvedInputs,
  { log }: AskingForTemplate,
): string {
  const words = `"${oneLine(template.name ?? "", 80)}", hash_id ${oneLine(template.hash, 64)}`;
  log.info(`The template is ${words}.`);
  if (image === "") log.info(`Its image is ${facts?.image || "not known"}.`);
  const filters = Object.entries(facts?.filter ?? {}).map(([field, filter]) => `${field} ${describeFilter(filter)}`);
  if (filters.length > 0)
    log.info(`It filters offers by ${oneLine(filters.join(", "))}; what the inputs ask of the same field wins.`);
  return words;
}
