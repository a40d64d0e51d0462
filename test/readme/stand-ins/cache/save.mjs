// A key is written once; a second time fails, as GitHub only warns of, so that a test sees it.
import { copyFileSync, mkdirSync } from "node:fs";
import { basename, join } from "node:path";

const { STAND_INS = "", INPUT_KEY = "", INPUT_PATH = "" } = process.env;
const entry = join(STAND_INS, "cache", INPUT_KEY);
mkdirSync(join(STAND_INS, "cache"), { recursive: true });
mkdirSync(entry);
copyFileSync(INPUT_PATH, join(entry, basename(INPUT_PATH)));
console.log(`Cache saved with key: ${INPUT_KEY}`);
