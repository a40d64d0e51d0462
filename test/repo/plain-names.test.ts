import { expect, test } from "vitest";
import { filesIn, textOf } from "./support/repository.ts";

/** Where people and machines keep their checkouts: a path like that works for one of them. */
const MACHINE_PATH = /(?<![\w.}])\/(?:home|Users|work|mnt)\/\w/;
/** Where packages come from is npm's business, and differs from place to place. */
const REGISTRY = /\bregistry\.(?!example\b)[a-z0-9-]+\.[a-z]{2,}|\bnpmmirror\b|\bartifactory\b/i;

const files = [...filesIn("."), ...filesIn("dist")].filter((file) => !/\.(?:png|ico|tgz)$/.test(file));

test("no file names a place of somebody's machine", () => {
  expect(files.filter((file) => MACHINE_PATH.test(textOf(file)))).toEqual([]);
});

test("no file names where packages are downloaded from", () => {
  expect(files.filter((file) => file !== "test/repo/plain-names.test.ts" && REGISTRY.test(textOf(file)))).toEqual([]);
  expect(textOf("package-lock.json")).not.toContain('"resolved"');
});
