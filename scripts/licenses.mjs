import { existsSync, readFileSync } from "node:fs";

const FILE_NAMES = ["LICENSE", "LICENSE.md", "LICENSE.txt", "LICENCE", "license"];
const LINE = `\n${"-".repeat(80)}\n\n`;

/**
 * The licence of every production package of package-lock.json, name, version and text. ncc's own
 * list leaves out most of them: it does not see the modules that webpack has joined into one.
 */
export function licencesOfDependencies() {
  return licencesOf((path, { dev, optional }) => path !== "" && !dev && !optional);
}

/** The licences of those packages alone for which this holds. */
export function licencesOf(isShipped) {
  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8"));
  const texts = Object.entries(packages)
    .filter(([path, about]) => isShipped(path, about))
    .map(([path, { version, license }]) => `${nameOf(path)} ${version} (${license})\n\n${textOf(path)}\n`);
  return [...new Set(texts)].sort().join(LINE);
}

/** `node_modules/a/node_modules/@b/c` → `@b/c`. */
function nameOf(path) {
  return path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
}

function textOf(path) {
  const name = FILE_NAMES.find((candidate) => existsSync(`${path}/${candidate}`));
  if (name === undefined) throw new Error(`${path} has no licence file.`);
  return readFileSync(`${path}/${name}`, "utf8").replaceAll("\r\n", "\n").trim();
}
