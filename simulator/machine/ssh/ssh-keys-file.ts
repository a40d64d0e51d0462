import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Lets these keys log in to this folder's machine, beside its script's own, if it has a disk. */
export function allowKeys(folder: string, keys: readonly string[]): void {
  const known = readKeys(folder);
  writeKeys(folder, [...known, ...keys.filter((key) => !known.includes(key))]);
}

/** Lets a key log in no more; sessions that it has go on. */
export function forbidKey(folder: string, key: string): void {
  writeKeys(
    folder,
    readKeys(folder).filter((known) => known !== key),
  );
}

function fileOf(folder: string): string {
  return join(folder, "root/.ssh/authorized_keys");
}

function readKeys(folder: string): string[] {
  const file = fileOf(folder);
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
}

function writeKeys(folder: string, keys: readonly string[]): void {
  if (!existsSync(folder)) return;
  mkdirSync(join(folder, "root/.ssh"), { recursive: true, mode: 0o700 });
  writeFileSync(fileOf(folder), keys.map((key) => `${key}\n`).join(""), { mode: 0o600 });
}
