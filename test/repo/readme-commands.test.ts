import { expect, test } from "vitest";
import { textOf } from "./support/repository.ts";

const readme = textOf("README.md");
const SETUP = [
  /^gh release download --repo ([\w.-]+\/ephemeral-gpu-runner) --pattern setup\.tgz --output \.\.\/setup\.tgz --clobber$/,
  /^gh attestation verify \.\.\/setup\.tgz --repo ([\w.-]+\/ephemeral-gpu-runner)$/,
  /^npx \.\.\/setup\.tgz$/,
];

test("the README shows one thing to copy, the set-up, verified before it runs, and every npm command in it is one that .ci/run runs", () => {
  const blocks = Array.from(readme.matchAll(/```sh\n([\s\S]*?)```/g), ([, block = ""]) => block.trim());
  expect(blocks.length).toBe(1);
  const lines = blocks[0]?.split("\n") ?? [];
  expect(lines.length).toBe(SETUP.length);
  for (const [n, form] of SETUP.entries()) expect(lines[n]).toMatch(form);
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

test("the README names one account, everywhere, and asks for no other placeholder", () => {
  const accounts = Array.from(readme.matchAll(/([\w.-]+)\/ephemeral-gpu-runner\b/g), ([, account]) => account);
  expect(accounts.length).toBeGreaterThan(2);
  expect(new Set(accounts).size).toBe(1);
  expect(readme).not.toMatch(/\b(?:YOU|ORG|YOUR_KEY)\b/);
});
