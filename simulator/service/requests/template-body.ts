import { z } from "zod";
import { TemplateContent } from "../../scenario/template.ts";
import type { Dialect } from "../traffic/dialect.ts";
import { Refusal } from "../traffic/refusal.ts";

type Body = Readonly<Record<string, unknown>>;

const { name, image, tag, docker_login_repo, docker_login_user, docker_login_pass } = TemplateContent.shape;
const given = <Shape extends z.ZodType>(shape: z.ZodDefault<Shape>) => shape.unwrap();

/** Seed, Template: an image without its tag; the login must be there, and may be empty. */
const SeedContent = TemplateContent.omit({ readme_visible: true }).extend({
  name: given(name).min(1),
  image: image.regex(/^[^:@\s]+(:\d+\/[^:@\s]+)?$/, { error: "the tag belongs in tag" }),
  docker_login_repo: given(docker_login_repo),
  docker_login_user: given(docker_login_user),
  docker_login_pass: given(docker_login_pass),
  extra_filters: z.record(z.string(), z.unknown()).default({}),
});

/** Observed: only name and image are needed, null counts as left out, the disk may be a text. */
const ObservedContent = TemplateContent.extend({
  name: given(name).min(1),
  tag: given(tag).optional(),
  recommended_disk_space: z.coerce.number().positive().default(8),
});

/** Reads the body of create template; throws the 400 that names what is wrong. */
export function readTemplate(body: Body, dialect: Dialect): TemplateContent {
  if (dialect === "seed") {
    return TemplateContent.parse(checked(SeedContent, body));
  }
  const content = checked(ObservedContent, withoutNulls(body));
  return TemplateContent.parse({ ...content, ...splitTag(content.image, content.tag) });
}

/** Reads an edit's changes without `hash_id` and `id`; throws the 400. A default is no change. */
export function readTemplateChanges(body: Body, dialect: Dialect): Body {
  const given = dialect === "seed" ? body : withoutEmptyRuntype(withoutNulls(body));
  const shape = dialect === "seed" ? SeedContent : ObservedContent;
  const read = checked(shape.partial(), given);
  const changes = Object.fromEntries(Object.entries(read).filter(([field]) => Object.hasOwn(given, field)));
  return typeof changes.image === "string" && dialect === "observed"
    ? { ...changes, ...splitTag(changes.image, changes.tag as string | undefined, false) }
    : changes;
}

/** SPEC-SILENT: an image with a tag in it; taken apart as observed, refused in the seed. */
function splitTag(full: string, tag: string | undefined, withDefault = true) {
  const [, path = full, own] = /^(.*?)(?::([^:/@]+))?$/.exec(full) ?? [];
  const found = tag ?? own ?? (withDefault ? "latest" : undefined);
  return { image: path, ...(found !== undefined && { tag: found }) };
}

function checked<Shape extends z.ZodType>(shape: Shape, body: Body): z.output<Shape> {
  const parsed = shape.safeParse(body);
  if (parsed.success) return parsed.data;
  // Only names and reasons: values may be secrets.
  const sentences = parsed.error.issues.map(({ path, message }) =>
    [path.join("."), message].filter(Boolean).join(": "),
  );
  throw new Refusal(400, { error: "invalid_args", msg: sentences.join("; ") });
}

/** SPEC-SILENT: an empty `runtype` in an edit, which is taken; here "unchanged" like null. */
function withoutEmptyRuntype({ runtype, ...body }: Body): Body {
  return runtype === undefined || runtype === "" ? body : { ...body, runtype };
}

/** SPEC-SILENT: null in an edit; "unchanged": the official client's flags that were not given. */
function withoutNulls(body: Body): Body {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}
