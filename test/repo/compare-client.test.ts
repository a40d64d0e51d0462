import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ENDPOINTS, type ServiceRequest } from "../../src/marketplace/vast/endpoints.ts";
import { ROOT, textOf } from "./support/repository.ts";

const CLIENT = `
"""Nothing that a text of several lines describes counts: error == "docs"."""
RETRYABLE_STATUS = {429, 502}  # and status 599 of a comment
def list(self):
    r = client.get(f"/instances/{id}/")
    if r.status_code == 404 and error == "no_such_instance":
        return None
    r.headers["X-Sent"] = "not read"
    return r.headers.get("Content-Type")
`;

const NEWER = `${CLIENT}
def search(self):
    r = client.put("/api/v1/search/", json_data={})
    if r.status_code == 429 and r.json().get("error") == "search_quota_exceeded":
        wait = float(r.headers["Retry-After"])
    if actual_status in ('frozen', 'running'):
        raise ValueError("\`\`\`\`")
`;

let folder: string;
const at = (...path: string[]) => join(folder, ...path);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "client-"));
  for (const [name, text] of Object.entries({ old: CLIENT, newer: NEWER, other: "print(1)\n" })) {
    mkdirSync(at(name, "api"), { recursive: true });
    writeFileSync(at(name, "api", "client.py"), text);
  }
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function run(...args: string[]) {
  return spawnSync(process.execPath, [join(ROOT, "test/clients/compare-client.ts"), ...args], { encoding: "utf8" });
}

test("what a client uses is written down, and nothing of it is new", () => {
  expect(run("record", at("old"), at("known")).status).toBe(0);
  expect(JSON.parse(readFileSync(at("known"), "utf8"))).toEqual({
    endpoints: ["GET /instances/{}/"],
    headers: ["content-type"],
    statuses: ["404", "429", "502", "no_such_instance"],
    errors: ["no_such_instance"],
  });
  expect(run("compare", at("old"), at("known"), at("report")).status).toBe(0);
  expect(readFileSync(at("report"), "utf8")).toBe("");
});

test("what a newer one uses besides is reported, with its lines", () => {
  run("record", at("old"), at("known"));
  expect(run("compare", at("newer"), at("known"), at("report")).status).toBe(1);
  const report = readFileSync(at("report"), "utf8");
  expect(report.match(/^New \w+:$/gm)).toEqual(["New endpoints:", "New headers:", "New statuses:", "New errors:"]);
  expect(report).toContain(
    'PUT /api/v1/search/\n    api/client.py:12: r = client.put("/api/v1/search/", json_data={})',
  );
  expect(report).toContain('\nretry-after\n    api/client.py:14: wait = float(r.headers["Retry-After"])');
  for (const word of ["frozen", "running", "search_quota_exceeded"]) expect(report).toContain(`\n${word}\n    api/`);
  for (const old of ["GET /instances/{}/", "content-type", "429", "no_such_instance"])
    expect(report).not.toContain(`\n${old}\n`);
  // No line of theirs ends the block that it stands in.
  expect(report.match(/^````/gm)).toHaveLength(8);
});

test("a folder without a client is a fault, and no client without news", () => {
  run("record", at("old"), at("known"));
  expect(run("compare", at("other"), at("known"), at("report")).stderr).toContain("has no endpoints");
});

test("what is written down has the quota of searches, and every path that renting asks for", () => {
  const { endpoints, headers } = JSON.parse(textOf("test/clients/known-of-client.json"));
  expect(headers).toContain("x-ratelimit-reset");
  const pathOf = (text: string) => text.replace(/^[A-Z]+ |\/api\/v0|\/$/g, "");
  const known = endpoints.map(pathOf);
  const ours = Object.values(ENDPOINTS).map(({ request }) => {
    const { path } = (request as (...args: unknown[]) => ServiceRequest)(7, { id: 7 });
    return pathOf(path).replace(/\b(?:7|undefined)\b/g, "{}");
  });
  expect(ours.filter((each) => !known.includes(each))).toEqual([]);
});
