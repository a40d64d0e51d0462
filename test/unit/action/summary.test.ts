import { describe, expect, test } from "vitest";
import { summaryMarkdown } from "../../../src/action/summary.ts";
import type { Report } from "../../../src/provisioning/report.ts";

const START = Date.UTC(2026, 0, 1);

function report(given: Partial<Report> = {}): Report {
  return {
    instanceId: 7001001,
    offer: { id: 11, machine_id: 40211, gpu_name: "RTX 4090", num_gpus: 1 },
    price: { total: 0.6, storage: 0.06 },
    at: {
      asked: START,
      created: START + 2000,
      running: START + 95_000,
      online: START + 140_000,
      gone: START + 3_602_000,
    },
    last: "gave itself back",
    ...given,
  };
}

function rowsOf(markdown: string): string[][] {
  const lines = markdown.split("\n").filter((line) => line.startsWith("|"));
  return lines.map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

test("one row a machine: what it was, how long each stage took, what it cost", () => {
  const [head, , row] = rowsOf(summaryMarkdown({ reports: [report()], undestroyed: [], end: START + 4_000_000 }));
  expect(Object.fromEntries((head ?? []).map((name, index) => [name, row?.[index]]))).toEqual({
    instance: "7001001",
    GPU: "1 × RTX 4090",
    machine: "40211",
    "price per hour": "0.60 USD",
    "to running": "1m 35s",
    "to online": "45s",
    "rented for": "1h",
    "last state": "gave itself back",
    cost: "0.59 USD",
  });
});

test("a stage that was not reached is a dash, and what is not gone is rented until now", () => {
  const failed = report({ at: { asked: START, created: START }, last: "it is exited" });
  const [, , row] = rowsOf(summaryMarkdown({ reports: [failed], undestroyed: [], end: START + 600_000 }));
  expect(row?.slice(4, 8)).toEqual(["–", "–", "10m", "it is exited"]);
});

test("adds the machines up, and says what is not in the sum", () => {
  const two = summaryMarkdown({ reports: [report(), report()], undestroyed: [], end: START + 4_000_000 });
  expect(two).toContain("About 1.17 USD in all");
  expect(two).toContain("bytes");
});

describe("what is still rented", () => {
  test("nothing", () => {
    const markdown = summaryMarkdown({ reports: [], undestroyed: [], end: START });
    expect(markdown).toContain("**Still rented: nothing** (the service was asked).");
  });

  test("by name, when it could not be confirmed to be gone", () => {
    const undestroyed = ["instance 7001001", "whatever is labelled ghr1.1.2-1.abcdef.…"];
    const markdown = summaryMarkdown({ reports: [report()], undestroyed, end: START });
    expect(markdown).toContain("**May still be billing: instance 7001001,");
    expect(markdown).not.toContain("Still rented: nothing");
  });
});

describe("foreign text can't become Markdown", () => {
  const attacks = [
    "RTX | 4090 | 0.00 USD |",
    "RTX\n\n# Free machines",
    "[renew your token](https://evil.example)",
    "![](https://evil.example/pixel.png)",
    "<img src=x onerror=alert(1)>",
    "</td></tr></table><h1>x",
    "**bold** `code` ~~gone~~",
    "https://evil.example www.evil.example",
    "<!-- swallowed",
  ];

  test.each(attacks)("%j as the GPU's name and as the last state", (text) => {
    const evil = report({ offer: { id: 11, gpu_name: text, num_gpus: 1 }, last: text });
    const markdown = summaryMarkdown({ reports: [evil], undestroyed: [], end: START });
    const plain = summaryMarkdown({ reports: [report()], undestroyed: [], end: START });
    expect(markdown.split("\n")).toHaveLength(plain.split("\n").length);
    const [head, , row] = rowsOf(markdown);
    expect(row).toHaveLength(head?.length ?? 0);
    expect(row?.join(" ").replace(/&#\d+;/g, "")).not.toMatch(/[<>[\]`*~]|:\/\/|www\.|#/);
  });
});
