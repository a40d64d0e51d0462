import { z } from "zod";
import type { Dialect } from "./dialect.ts";
import { Refusal } from "./refusal.ts";

/** A stored bundle of default settings, as far as a create uses it. */
export const Template = z.strictObject({
  id: z.int().positive(),
  hash_id: z.string().min(1),
  name: z.string().default("a template"),
  /** Without its tag. */
  image: z.string().min(1),
  tag: z.string().default("latest"),
  /** Docker's flags: `-e NAME=value -p 8000:8000`. */
  env: z.string().default(""),
  onstart: z.string().default(""),
  runtype: z.enum(["ssh", "jupyter", "args"]).default("args"),
  ssh_direct: z.boolean().default(false),
  jup_direct: z.boolean().default(false),
  recommended_disk_space: z.number().default(8),
  docker_login_repo: z.string().default(""),
  docker_login_user: z.string().default(""),
  docker_login_pass: z.string().default(""),
});

/** A stored bundle of default settings. */
export type Template = z.infer<typeof Template>;

/** SPEC-SILENT: the answer to a hash that no template has: 400 in the seed, 404 as its other "not found" answers are observed. */
export function findTemplate(hash: string, templates: readonly Template[], dialect: Dialect): Template {
  const template = templates.find(({ hash_id }) => hash_id === hash);
  if (template) return template;
  if (dialect === "seed") throw new Refusal(400, { error: "invalid_args", msg: "template_hash_id: no such template" });
  throw new Refusal(404, { error: "invalid_args", msg: "error 404/3605: template with this hash_id not found." });
}

/** What a template gives to a create that does not say it itself (seed, Create rules 2, 3, 5 and 9). */
export function templateDefaults(template: Template) {
  const { docker_login_user: user, docker_login_pass: pass, docker_login_repo: repo } = template;
  return {
    image: `${template.image}:${template.tag}`,
    env: envOf(template.env),
    onstart: template.onstart,
    runtype: runtypeOf(template),
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

/** Converts Docker's flags to the form of a create: names to values, port mappings to `"1"`. */
function envOf(flags: string): Record<string, string> {
  const found = flags.matchAll(/-e\s+([A-Za-z_][A-Za-z0-9_]*)=("[^"]*"|\S*)|-p\s+(\S+)/g);
  return Object.fromEntries(
    Array.from(found, ([, name, value = "", port]) => (port ? [`-p ${port}`, "1"] : [name, value.replaceAll('"', "")])),
  );
}
