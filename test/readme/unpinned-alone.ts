// Fails when zizmor, whose JSON is its standard input, found anything but actions that are named by version.
import { text } from "node:stream/consumers";

interface Finding {
  ident: string;
  desc: string;
  locations: { symbolic: { key: { Local?: { verbatim_path: string } } } }[];
}

const findings = JSON.parse(await text(process.stdin)) as Finding[];
// Every page names this action by version, so a judge that finds none has not looked.
if (!findings.some(({ ident }) => ident === "unpinned-uses"))
  throw new Error("zizmor found no action without a commit.");
const others = findings.filter(({ ident }) => ident !== "unpinned-uses");
for (const { ident, desc, locations } of others)
  console.log(`${locations[0]?.symbolic.key.Local?.verbatim_path}: ${ident}: ${desc}`);
process.exitCode = others.length > 0 ? 1 : 0;
console.log(`${findings.length - others.length} actions named by version; ${others.length} other findings`);
