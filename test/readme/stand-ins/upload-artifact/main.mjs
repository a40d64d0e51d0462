// Keeps the given paths under the artifact's name, as the real one would by uploading them. Fails
// if a path does not exist.
import { cpSync, mkdirSync } from "node:fs";
import { basename, join } from "node:path";

const { STAND_INS = "", INPUT_NAME = "", INPUT_PATH = "" } = process.env;
const folder = join(STAND_INS, "artifacts", INPUT_NAME);
mkdirSync(folder, { recursive: true });
for (const path of INPUT_PATH.split("\n").filter((line) => line !== ""))
  cpSync(path, join(folder, basename(path)), { recursive: true });
console.log(`Uploaded as ${INPUT_NAME}`);
