import { z } from "zod";
import { ACCOUNT_ID } from "../../scenario/team.ts";
import type { Dialect } from "../traffic/dialect.ts";
import { Refusal } from "../traffic/refusal.ts";

/** What a template says, as it is created and edited; its hash is derived from this. */
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

/** What a template says. */
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

/** SPEC-SILENT: the answer to a hash that no template has: 400 in the seed, 404 as its other "not found" answers are observed. */
export function findTemplate(hash: string, templates: readonly Template[], dialect: Dialect): Template {
  const template = templates.find(({ hash_id }) => hash_id === hash);
  if (template) return template;
  if (dialect === "seed") throw new Refusal(400, { error: "invalid_args", msg: "template_hash_id: no such template" });
  throw new Refusal(404, { error: "invalid_args", msg: "error 404/3605: template with this hash_id not found." });
}

/** What a template gives to a create that does not say it itself (seed, Create rules 2, 3, 5 and 9). */
export function templateDefaults(template: Template) {
  const { docker_login_user: user, docker_login_pass: pass, docker_login_repo: repo, args_str } = template;
  return {
    image: `${template.image}:${template.tag}`,
    env: envOf(template.env),
    onstart: template.onstart,
    runtype: runtypeOf(template),
    ...(args_str && { args_str }),
    // SPEC-SILENT: whether the recommended disk is what an instance gets; taken to be the template's value of `disk`.
    disk: template.recommended_disk_space,
    ...(user && pass && repo ? { image_login: `-u ${user} -p ${pass} ${repo}` } : {}),
  };
}

function runtypeOf({ runtype, ssh_direct, jup_direct }: Template): string {
  if (runtype === "args") return "args";
  const direct = runtype === "ssh" ? ssh_direct : jup_direct;
  return `${runtype}_${direct ? "direct" : "proxy"}`;
}

/** Converts Docker's flags to the form of a create: names to values, port mappings to `"1"`. Other flags are left out. */
function envOf(flags: string): Record<string, string> {
  const words = Array.from(flags.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g), ([word]) => word.replace(/["']/g, ""));
  const entries = words.flatMap((word, index): [string, string][] => {
    const flag = words[index - 1];
    if (flag === "-p") return [[`-p ${word}`, "1"]];
    const [, name, value] = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s.exec(word) ?? [];
    return flag === "-e" && name !== undefined && value !== undefined ? [[name, value]] : [];
  });
  return Object.fromEntries(entries);
}
