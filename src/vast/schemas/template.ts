import { z } from "zod";
import { parseJson } from "../parse-json.ts";
import { aNumber, maybeBoolean, maybeNumber, maybeString } from "./foreign.ts";
import type { FieldFilter } from "./offer-query.ts";

/** A text as it is, blanks and line ends included. */
const maybeText = z.string().optional().catch(undefined);

/** Filters of a search by field; seen as an object, and as JSON in a text. */
const filters = z.preprocess(
  (value) => (typeof value === "string" ? parseJson(value) : value),
  z.record(z.string(), z.unknown()).optional().catch(undefined),
);

/**
 * A stored bundle of default settings for instances. Search results are promised only to have
 * `hash_id` and `name`; times in Unix seconds, `recommended_disk_space` in GB. The login's user and
 * password are never shown.
 */
export const templateSchema = z.looseObject({
  id: maybeNumber,
  hash_id: z.string(),
  name: maybeText,
  image: maybeString,
  tag: maybeString,
  desc: maybeText,
  readme: maybeText,
  env: maybeText,
  onstart: maybeText,
  runtype: maybeString,
  args_str: maybeText,
  ssh_direct: maybeBoolean,
  use_ssh: maybeBoolean,
  jup_direct: maybeBoolean,
  jupyter_dir: maybeText,
  use_jupyter_lab: maybeBoolean,
  docker_login_repo: maybeText,
  href: maybeText,
  repo: maybeText,
  extra_filters: filters,
  recommended_disk_space: maybeNumber,
  private: maybeBoolean,
  creator_id: maybeNumber,
  created_at: maybeNumber,
  count_created: maybeNumber,
  default_tag: maybeString,
  recent_create_date: maybeNumber,
  recommended: maybeBoolean,
});

/** A template as the service shows it. */
export type Template = z.infer<typeof templateSchema>;

/** A template that was just made: its id is promised, too. */
export const createdTemplateSchema = templateSchema.extend({ id: aNumber });

/** A template that was just made. */
export type CreatedTemplate = z.infer<typeof createdTemplateSchema>;

/** A template's content, as it is created. Names, units and defaults as in the specification. */
export interface TemplateContent {
  name: string;
  /** Without its tag. */
  image: string;
  /** Default `latest`. */
  tag?: string;
  desc?: string;
  readme?: string;
  /** Docker's flags, `-e NAME=value -p 8000:8000`: not the object that *create instance* takes. */
  env?: string;
  onstart?: string;
  /** Default `args`. */
  runtype?: "ssh" | "jupyter" | "args";
  args_str?: string;
  ssh_direct?: boolean;
  use_ssh?: boolean;
  jup_direct?: boolean;
  jupyter_dir?: string | null;
  use_jupyter_lab?: boolean;
  /** The login of a private image: all three are there, empty without a login. Secrets. */
  docker_login_repo: string;
  docker_login_user: string;
  docker_login_pass: string;
  href?: string;
  repo?: string;
  extra_filters?: Readonly<Record<string, FieldFilter>>;
  /** GB, default 8. */
  recommended_disk_space?: number;
  private?: boolean;
  /** For the service's console alone; it makes no volume. */
  volume_info?: Readonly<Record<string, unknown>> | null;
}

/** The fields of a template's content; with their values, an edit can name all of them. */
export const CONTENT_FIELDS = [
  "name",
  "image",
  "tag",
  "desc",
  "readme",
  "env",
  "onstart",
  "runtype",
  "args_str",
  "ssh_direct",
  "use_ssh",
  "jup_direct",
  "jupyter_dir",
  "use_jupyter_lab",
  "docker_login_repo",
  "href",
  "repo",
  "extra_filters",
  "recommended_disk_space",
  "private",
  "volume_info",
] as const satisfies readonly (keyof TemplateContent)[];

/** The fields that a search can filter by. */
export type TemplateField =
  | "creator_id"
  | "created_at"
  | "count_created"
  | "default_tag"
  | "docker_login_repo"
  | "id"
  | "image"
  | "jup_direct"
  | "hash_id"
  | "name"
  | "recent_create_date"
  | "recommended_disk_space"
  | "recommended"
  | "ssh_direct"
  | "tag"
  | "use_ssh";

/** `{<field>: {<operator>: <value>}}`, all of which must hold. */
export type TemplateFilters = { readonly [field in TemplateField]?: FieldFilter };
