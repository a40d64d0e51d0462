import type { Template } from "../../scenario/scenario.ts";
import { type Dialect, invalidArgs, refusal } from "../traffic/refusal.ts";

/** SPEC-SILENT: the answer to an unknown hash: 400 in the seed, 404 as others were observed. */
export function findTemplate(hash: string, templates: readonly Template[], dialect: Dialect): Template {
  const template = templates.find(({ hash_id }) => hash_id === hash);
  if (template) return template;
  if (dialect === "seed") throw invalidArgs("template_hash_id: no such template");
  throw refusal(404, "invalid_args", "error 404/3605: template with this hash_id not found.");
}

/** A template's values for a create that lacks them (seed, Create rules 2, 3, 5 and 9). */
export function templateDefaults(template: Template) {
  const { docker_login_user: user, docker_login_pass: pass, docker_login_repo: repo, args_str } = template;
  return {
    image: `${template.image}:${template.tag}`,
    env: envOf(template.env),
    onstart: template.onstart,
    runtype: runtypeOf(template),
    ...(args_str && { args_str }),
    // SPEC-SILENT: whether an instance gets the recommended disk; it gets the template's `disk`.
    disk: template.recommended_disk_space,
    ...(user && pass && repo ? { image_login: `-u ${user} -p ${pass} ${repo}` } : {}),
  };
}

function runtypeOf({ runtype, ssh_direct, jup_direct }: Template): string {
  if (runtype === "args") return "args";
  const direct = runtype === "ssh" ? ssh_direct : jup_direct;
  return `${runtype}_${direct ? "direct" : "proxy"}`;
}

/** Converts Docker's flags for a create: names to values, ports to `"1"`. Others are left out. */
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
