import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { readOptions } from "../../simulator/demo-options.ts";
import { UsageError } from "../../simulator/scenario/read-scenario.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** The instance is made, and nobody is told so. */
const FAULT = '{"operation": "createInstance", "kind": "lose-answer", "nth": 1}';

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
])("%s %s is refused in one sentence", (option, value, sentence) => {
  const read = () => readOptions([option, value], ROOT);
  expect(read).toThrow(sentence);
  // What parseArgs throws itself is told as ours is.
  expect(read).toThrow(option === "--secnario" ? TypeError : UsageError);
});

test("rents in a world of one's own: inputs, jobs and faults by options, and ends with the summary", async () => {
  const options = ["--with", "gpu-name=H100 SXM", "--jobs", "3", "--fault", FAULT];
  const command = ["simulator/demo.ts", ...options];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, command, { cwd: ROOT });
  expect(stderr).toBe("");
  expect(stdout).toContain("1 × H100 SXM");
  expect(stdout.match(/^── Job test \(3\.1\d\), on gpu-1-1-.* \(success\)$/gm)).toHaveLength(3);
  expect(new Set(stdout.match(/^instance \d+ on machine \d+/gm)?.map((line) => line.split(" ").at(-1))).size).toBe(2);
  expect(stdout).not.toContain("── The receipt");
  const books = stdout.indexOf("The service's own books");
  expect(books).toBeGreaterThan(0);
  expect(stdout).toContain("31% peak");
  expect(stdout.indexOf("Summary of the job")).toBeGreaterThan(books);
  expect(stdout.trimEnd().split("\n").at(-1)).toBe("still billing: 0 instances");
});
