import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Facts } from "./facts.ts";
import { type Edit, GPU_WORKFLOW } from "./workflows.ts";
import { readText } from "./yaml-file.ts";

const CONFIGS = [".github/actionlint.yaml", ".github/actionlint.yml"] as const;
/** actionlint 1.7.12 does not know the key. */
const RULE = `  ${GPU_WORKFLOW}:\n    ignore:\n      - unexpected key "cache-mode"\n`;

/** What keeps a repository's actionlint from refusing the workflow; nothing where it has none, or has the rule. */
export function ignoreRule({ checkout: { root }, workflows }: Facts): Edit[] {
  const config = CONFIGS.find((path) => existsSync(join(root, path)));
  const hooks = readText(root, ".pre-commit-config.yaml") ?? "";
  const isUsed =
    config !== undefined || [hooks, ...workflows.map(({ text }) => text)].some((text) => /\bactionlint\b/.test(text));
  const before = config === undefined ? "" : (readText(root, config) ?? "");
  if (!isUsed || before.includes("cache-mode")) return [];
  const paths = /^paths:[ \t]*\r?\n/m;
  const after = paths.test(before) ? before.replace(paths, `$&${RULE}`) : `${before}paths:\n${RULE}`;
  return [{ kind: "edit-file", path: config ?? CONFIGS[0], before, after }];
}
