import { readFileSync } from "node:fs";
import { packOnstart } from "./pack-onstart.ts";
import { packText } from "./pack-text.ts";
import { stripScript } from "./strip-script.ts";

// The build puts two constants in this file's place: dist neither strips nor packs.

/** The field `onstart` of every create: onstart/bootstrap.sh, packed in onstart/unpack.sh. */
export const ONSTART: string = packOnstart(read("bootstrap.sh"), read("unpack.sh"));

/** The variable GHR_WORK: onstart/runners.sh and work.sh, packed. */
export const WORK: string = packText(stripScript(readPart("runners.sh") + readPart("work.sh")));

/** The variable GHR_FIGURES: onstart/figures.sh, packed. */
export const FIGURES: string = packText(stripScript(readPart("figures.sh")));

function read(script: string): string {
  return readFileSync(new URL(`../../onstart/${script}`, import.meta.url), "utf8");
}

/** A script that another one reads: no program of its own. */
function readPart(script: string): string {
  return read(script).replace(/^#!.*/, "");
}
