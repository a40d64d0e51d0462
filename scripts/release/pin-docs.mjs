// Writes the commit of a release into every page that shows how to use it and, the first time, the
// account's name (GITHUB_REPOSITORY) in place of OWNER. Usage: pin-docs.mjs COMMIT TAG [ROOT]
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [commit = "", tag = "", root = "."] = process.argv.slice(2);
if (!/^[0-9a-f]{40}$/.test(commit) || !/^v\d+\.\d+\.\d+$/.test(tag))
  throw new Error("Usage: pin-docs.mjs COMMIT TAG [ROOT], with 40 hex digits and a full version");

const [account] = /^[\w.-]+(?=\/)/.exec(process.env.GITHUB_REPOSITORY ?? "") ?? [];
if (account === undefined) throw new Error("GITHUB_REPOSITORY has no account.");

/** Sentences on what a reader does for as long as there is no release. */
const UNTIL = /<!-- until the first release -->[\s\S]*?<!-- end -->\n{0,2}/g;
const NAME = /\bOWNER(?=\/ephemeral-gpu-runner)/g;
const USE = /^( *(?:- )?uses: [\w.-]+\/ephemeral-gpu-runner(?:\/[\w./-]+)?)@\S+(?: *#.*)?$/gm;
let shown = 0;
let changed = 0;
for (const page of ["README.md", ...globSync("docs/**/*.md", { cwd: root })]) {
  const path = join(root, page);
  const before = readFileSync(path, "utf8");
  shown += before.match(USE)?.length ?? 0;
  const named = before.replace(UNTIL, "").replace(NAME, account);
  const after = named.replace(USE, `$1@${commit} # ${tag}`);
  if (after === before) continue;
  writeFileSync(path, after);
  changed += 1;
}
if (shown === 0) throw new Error("No page shows a use of this action.");
console.log(`${changed} pages name ${tag}`);
