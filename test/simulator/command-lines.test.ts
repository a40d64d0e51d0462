import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { readOptions } from "../../simulator/cli-options.ts";
import { readOptions as readDemoOptions } from "../../simulator/demo-options.ts";
import { UsageError } from "../../simulator/scenario/read-scenario.ts";

// `.ci/run` runs both commands.
const ROOT = fileURLToPath(new URL("../../", import.meta.url));

test("npm run simulator takes ports and a scenario", () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "cli-test-"));
  const file = join(folder.path, "scenario.json");
  const scenario = { apiKey: "key-of-the-scenario", offers: [{ id: 77 }] };
  writeFileSync(file, JSON.stringify(scenario));
  const read = readOptions(["--service-port", "8001", "--github-port=8002", "--factor", "20", "--scenario", file]);
  expect(read).toMatchObject({ servicePort: 8001, githubPort: 8002, factor: 20, scenario });
});

test.each([
  [["--colour", "red"], "Unknown option '--colour'."],
  [["seed"], "Unexpected argument 'seed'."],
  [["--factor"], "Option '--factor <value>' argument missing."],
  [["--factor", "fast"], "--factor must be a number above 0, at most 10000."],
  [["--factor=0"], "--factor must be a number above 0, at most 10000."],
  [["--service-port="], "--service-port must be a port from 0 to 65535."],
  [["--github-port", "65536"], "--github-port must be a port from 0 to 65535."],
  [["--dialect", "latin"], "--dialect must be seed or observed."],
])("it refuses %j with one sentence", (args, sentence) => {
  expect(() => readOptions(args)).toThrow(new UsageError(sentence));
});

test.each([
  ["--scenario", "nowhere.json", "--scenario nowhere.json can't be used: ENOENT"],
  ["--scenario", "package.json", "--scenario package.json can't be used: "],
  ["--secnario", "x.json", "Unknown option '--secnario'"],
  ["--with", "gpu-name", "--with gpu-name can't be used: it is NAME=VALUE"],
  ["--with", "gpu-nmae=H100", "--with gpu-nmae can't be used: the action has no such input"],
  ["--jobs", "0", "--jobs 0 can't be used: it is a number from 1 to 16"],
  ["--fault", "createInstance:lost", "--fault createInstance:lost can't be used: kind: "],
  ["--fault", "outbid", "--fault outbid can't be used: it is OPERATION:KIND, such as createInstance:lose-answer."],
  ["--fault", "{}}", "--fault {}} can't be used: "],
])("npm run demo refuses %s %s in one sentence", (option, value, sentence) => {
  const read = () => readDemoOptions([option, value], ROOT);
  expect(read).toThrow(sentence);
  // What parseArgs throws itself is told as ours is.
  expect(read).toThrow(option === "--secnario" ? TypeError : UsageError);
});
