import { readFileSync } from "node:fs";
import { packOnstart, stripScript } from "./pack-script.ts";
import { packText } from "./pack-text.ts";

// The build replaces this file by its three constants: dist neither strips nor packs.

/** The field `onstart` of every create: onstart/bootstrap.sh, packed in onstart/unpack.sh. */
export const ONSTART: string = packOnstart(readScript("bootstrap.sh"), readScript("unpack.sh"));

/** The variable GHR_WORK: onstart/runners.sh and work.sh, packed. */
export const WORK: string = packText(stripScript(readPart("runners.sh") + readPart("work.sh")));

/** The variable GHR_FIGURES: onstart/figures.sh, packed. */
export const FIGURES: string = packText(stripScript(readPart("figures.sh")));

function readScript(script: string): string {
  return readFileSync(new URL(`../../../onstart/${script}`, import.meta.url), "utf8");
}

/** Reads a script without its first line: bootstrap.sh reads it, nobody runs it as a program. */
function readPart(script: string): string {
  return readScript(script).replace(/^#!.*/, "");
}
