import { z } from "zod";
import { ACCOUNT_ID } from "./team.ts";

/** A template's content, as it is created and edited; its hash is derived from this. */
export const TemplateContent = z.strictObject({
  name: z.string().default("a template"),
  /** Without its tag. */
  image: z.string().min(1),
  tag: z.string().default("latest"),
  desc: z.string().default(""),
  readme: z.string().default(""),
  readme_visible: z.boolean().default(true),
  /** Docker's flags: `-e NAME=value -p 8000:8000`. */
  env: z.string().default(""),
  onstart: z.string().default(""),
  runtype: z.enum(["ssh", "jupyter", "args"]).default("args"),
  args_str: z.string().default(""),
  ssh_direct: z.boolean().default(false),
  use_ssh: z.boolean().default(false),
  jup_direct: z.boolean().default(false),
  jupyter_dir: z.string().nullable().default(null),
  use_jupyter_lab: z.boolean().default(false),
  docker_login_repo: z.string().default(""),
  docker_login_user: z.string().default(""),
  docker_login_pass: z.string().default(""),
  href: z.string().default(""),
  repo: z.string().default(""),
  /** Filters of a search; the service was seen to give them as an object or as JSON in a text. */
  extra_filters: z.union([z.record(z.string(), z.unknown()), z.string()]).default({}),
  recommended_disk_space: z.number().default(8),
  private: z.boolean().default(true),
  /** For the console alone: it makes no volume. */
  volume_info: z.looseObject({}).nullable().default(null),
});

/** A template's content. */
export type TemplateContent = z.output<typeof TemplateContent>;

/** A stored bundle of default settings; times in seconds since the epoch. */
export const Template = TemplateContent.extend({
  id: z.int().positive(),
  hash_id: z.string().min(1),
  creator_id: z.int().default(ACCOUNT_ID),
  created_at: z.number().default(0),
  count_created: z.int().default(0),
  default_tag: z.string().nullable().default(null),
  recent_create_date: z.number().nullable().default(null),
  recommended: z.boolean().default(false),
});

/** A stored bundle of default settings. */
export type Template = z.output<typeof Template>;
