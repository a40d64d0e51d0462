import { expect, test } from "vitest";
import { tableRows } from "./support/markdown.ts";
import { textOf } from "./support/repository.ts";

// The forms are those of the checks' own code, in its state of 2026-08.

test("Security-Policy: an address, free text, and two words on how and when it is disclosed", () => {
  const policy = textOf("SECURITY.md");
  const [address = ""] =
    /https:\/\/github\.com\/[\w.-]+\/ephemeral-gpu-runner\/security\/advisories\/new/.exec(policy) ?? [];
  expect(address).not.toBe("");
  expect(policy.replaceAll(address, "").length).toBeGreaterThan(200);
  expect(policy.match(/vuln|disclos/gi)?.length).toBeGreaterThan(2);
  const times = tableRows(policy).map(([what = "", when = ""]) => ({
    what,
    days: Number(/(\d+) days/.exec(when)?.[1]),
  }));
  expect(times.map(({ days }) => days)).toEqual([3, 14, 30, 90]);
  expect(times[0]?.what).toContain("answers");
});

test("Signed-Releases and SBOM: a release has a file of each form", () => {
  expect(textOf(".github/workflows/release.yml")).toContain("$GITHUB_REF_NAME.intoto.jsonl");
  expect(textOf("scripts/release/pack.sh")).toMatch(/npm sbom [^>]*>"\$folder\/\$name\.cdx\.json"/);
});

test("docs/internals/openssf.md says of each check whether files decide it", () => {
  const rows = tableRows(textOf("docs/internals/openssf.md"));
  expect(rows.length).toBeGreaterThanOrEqual(18);
  for (const [check = "", by = "", points = ""] of rows) {
    expect(by, check).not.toBe("");
    expect(points, check).toBe(by.startsWith("files") && check !== "Packaging" ? "10" : "–");
  }
});
