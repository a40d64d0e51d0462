import { readFileSync } from "node:fs";
import { packOnstart } from "./pack-onstart.ts";
import { packText } from "./pack-text.ts";
import { stripScript } from "./strip-script.ts";

// The build puts two constants in this file's place: dist neither strips nor packs.

/** The field `onstart` of every create: onstart/bootstrap.sh, packed in onstart/unpack.sh. */
export const ONSTART: string = packOnstart(read("bootstrap.sh"), read("unpack.sh"));

/** The variable GHR_WORK: onstart/work.sh and runners.sh, packed. */
export const WORK: string = packText(stripScript(read("work.sh") + read("runners.sh")));

/** The variable GHR_FIGURES: onstart/figures.sh, packed. */
export const FIGURES: string = packText(stripScript(read("figures.sh")));

function read(script: string): string {
  return readFileSync(new URL(`../../onstart/${script}`, import.meta.url), "utf8");
}
