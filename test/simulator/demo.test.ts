import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { readOptions } from "../../simulator/demo-options.ts";
import { UsageError } from "../../simulator/scenario/read-scenario.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** The instance is made, and nobody is told so. */
const FAULT = '{"operation": "createInstance", "kind": "lose-answer", "nth": 1}';

function demo(...options: string[]): Promise<{ code: unknown; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, ["simulator/demo.ts", ...options], { cwd: ROOT }, (fault, stdout, stderr) =>
      resolve({ code: fault?.code, stdout, stderr }),
    );
  });
}

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

test.each([
  ["--secnario", "Unknown option '--secnario'"],
  ["--jobs=0", "--jobs 0 can't be used: it is a number from 1 to 16.\n"],
])("%s: one sentence, exit code 2, nothing rented", async (option, sentence) => {
  const { code, stdout, stderr } = await demo(option);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(sentence);
  expect(stderr).not.toContain("    at ");
});

test("--help shows each option, and rents nothing", async () => {
  const { code, stdout } = await demo("--help");
  expect(code).toBeUndefined();
  for (const option of ["--with", "--jobs", "--fault", "--scenario", "--receipt"])
    expect(stdout).toContain(`  ${option} `);
  expect(stdout).toContain("createInstance");
  expect(stdout).not.toContain("Job rent");
});

test("rents in a world of one's own: inputs, jobs and faults by options, and ends with the summary", async () => {
  const options = ["--with", "gpu-name=H100 SXM", "--jobs", "3", "--fault", FAULT];
  const { stdout, stderr, code } = await demo(...options);
  expect([code, stderr]).toEqual([undefined, ""]);
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
