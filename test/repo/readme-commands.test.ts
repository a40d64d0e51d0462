import { expect, test } from "vitest";
import { textOf } from "./support/repository.ts";

const readme = textOf("README.md");
const SETUP = "npx https://github.com/OWNER/ephemeral-gpu-runner/releases/latest/download/setup.tgz";

test("the README shows one command to copy, the set-up, and every npm command in it is one that .ci/run runs", () => {
  const blocks = Array.from(readme.matchAll(/```sh\n([\s\S]*?)```/g), ([, block = ""]) => block.trim());
  expect(blocks).toEqual([SETUP]);
  const inline = Array.from(readme.matchAll(/`(npm [^`]+)`/g), ([, line = ""]) => line.split(" && ")).flat();
  expect(inline).toEqual(["npm ci", "npm run demo"]);
  const ci = textOf(".ci/run");
  for (const command of inline) expect(ci, command).toMatch(new RegExp(`^(?:step|begin) '${command}'`, "m"));
});

test("CONTRIBUTING.md names scripts that there are", () => {
  const { scripts } = JSON.parse(textOf("package.json")) as { scripts: Record<string, string> };
  const named = Array.from(textOf("CONTRIBUTING.md").matchAll(/\bnpm run ([a-z-]+)/g), ([, name = ""]) => name);
  expect(named.length).toBeGreaterThan(4);
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
});

test("one placeholder is enough for the README", () => {
  expect(readme).toContain("OWNER/ephemeral-gpu-runner@v1");
  expect(readme).not.toMatch(/\b(?:YOU|ORG|YOUR_KEY)\b/);
});
