// The entry with the key, else the newest whose key begins with one of the restore keys.
import { copyFileSync, existsSync, readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";

const { STAND_INS = "", INPUT_KEY = "", INPUT_PATH = "" } = process.env;
const store = join(STAND_INS, "cache");
const entries = existsSync(store) ? readdirSync(store) : [];
const newest = entries.toSorted((a, b) => statSync(join(store, b)).mtimeMs - statSync(join(store, a)).mtimeMs);
const beginnings = (process.env["INPUT_RESTORE-KEYS"] ?? "").split("\n").filter((line) => line !== "");
const found = [INPUT_KEY, ...beginnings.map((start) => newest.find((key) => key.startsWith(start)))].find((key) =>
  newest.includes(key),
);
if (found !== undefined) copyFileSync(join(store, found, basename(INPUT_PATH)), INPUT_PATH);
console.log(found === undefined ? "Cache not found" : `Cache restored from key: ${found}`);
