import { describe, expect, test } from "vitest";
import { costOf } from "../../../src/report/session-report.ts";
import { summaryMarkdown } from "../../../src/report/summary.ts";
import { aFailedRecord, aRecord, aSessionReport, START } from "../support/a-session-report.ts";
import { someJobs } from "../support/some-jobs.ts";

function rowsOf(markdown: string): string[][] {
  const lines = markdown.split("\n").filter((line) => line.startsWith("|"));
  return lines.map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

function rowAsObject(markdown: string, index = 0): Record<string, string | undefined> {
  const [head = [], , ...rows] = rowsOf(markdown);
  return Object.fromEntries(head.map((name, column) => [name, rows[index]?.[column]]));
}

const RAN = { name: "test (3.12)", conclusion: "success", seconds: 300 };

test("says what it cost part by part, for spares, and what credit is left", () => {
  const context = { startedAt: START, runnerLabel: "gpu", credit: 31.2 };
  const records = [
    aRecord({
      jobs: [RAN, { ...RAN }],
      traffic: { downGb: 5, upGb: 0 },
      price: { total: 0.6, storage: 0, inetDown: 0.01 },
    }),
    aFailedRecord({ isUnneeded: true, last: "no job needs it" }),
  ];
  expect(summaryMarkdown(aSessionReport({ records, context, end: START + 3_600_000 }))).toContain(
    "\nIt cost about 0.64 USD: 0.59 for machines, 0.0500 for traffic (that of 1 machine not counted). " +
      "0.0050 of it for 1 spare that no job needed. This step took 60 min on its own runner: 0.36 USD in a private repository. " +
      "About 30.56 USD of credit is left.\n",
  );
});

test("credit that pays for no other such run is said to be that", () => {
  const context = { startedAt: START, runnerLabel: "gpu", credit: 1 };
  expect(summaryMarkdown(aSessionReport({ context }))).toContain(
    "About 0.41 USD of credit is left, too little for another such run.",
  );
});

test.each([
  [0.00001, "Less than 0.0001 USD of credit is left, too little for another such run."],
  [-0.1, "No credit is left."],
])("%s USD of credit that are left never read as 0 where they are not", (left, sentence) => {
  const { total } = costOf(aSessionReport());
  const context = { startedAt: START, runnerLabel: "gpu", credit: total + left };
  expect(summaryMarkdown(aSessionReport({ context }))).toContain(sentence);
});

test("what main knew is lost: the sum says so", () => {
  expect(summaryMarkdown(aSessionReport())).toContain(
    "\nIt cost about 0.59 USD: 0.59 for machines, traffic not counted. What this step cost on its own runner is not known.\n",
  );
});

test("traffic that is known of one machine only does not pass for all", () => {
  const price = { total: 0.6, storage: 0, inetDown: 0.01 };
  const records = [aRecord({ traffic: { downGb: 5, upGb: 0 }, price }), aFailedRecord()];
  expect(summaryMarkdown(aSessionReport({ records }))).toContain("0.0500 for traffic (that of 1 machine not counted).");
});

test("what post destroyed and main did not write down is in no sum: it is said so", () => {
  const sentence = "What instance 8 cost is not known: nothing was written down of it.";
  expect(summaryMarkdown(aSessionReport({ destroyed: [7001001, 8] }))).toContain(`traffic not counted. ${sentence} `);
  expect(summaryMarkdown(aSessionReport({ records: [], destroyed: [8] }))).toContain(`\n${sentence}\n`);
});

test.each([
  ["a job still waits", { waiting: 1 }, true],
  ["one runs", { running: 1 }, false],
] as const)("says when no job ever used a machine: %s", (_what, jobs, isTold) => {
  expect(summaryMarkdown(aSessionReport({ jobs: someJobs(jobs) })).includes("No job ever used a machine")).toBe(isTold);
});

test("after a cancel nobody is told that no job used a machine", () => {
  const report = aSessionReport({ jobs: someJobs({ waiting: 1 }), jobStatus: "cancelled" });
  expect(summaryMarkdown(report)).not.toContain("No job ever used a machine");
});

test("with hold: false and no job for it, the machine was for later steps: nobody says that it was of no use", () => {
  const isTold = (ours: Parameters<typeof someJobs>[0]) =>
    summaryMarkdown(aSessionReport({ jobs: someJobs(ours), mainEnd: { kind: "ready" } })).includes("No job ever used");
  expect(isTold({})).toBe(false);
  expect(isTold({ waiting: 1 })).toBe(true);
});

test("begins with how it came out", () => {
  expect(summaryMarkdown(aSessionReport()).split("\n")[0]).toBe(
    "### The GPU job ran on 1 × RTX 4090 at 0.60 USD per hour: about 0.59 USD, 1h.",
  );
});

test("and says it plainly where it cost nothing", () => {
  const { asked } = aRecord().at;
  const records = [aRecord({ at: { asked, created: asked, gone: asked } })];
  expect(summaryMarkdown(aSessionReport({ records })).split("\n")[0]).toMatch(
    / at 0\.60 USD per hour: it cost nothing, 0s\.$/,
  );
});

test("one row a machine: what it was, how far it came, why it ended, what it cost", () => {
  expect(
    rowAsObject(summaryMarkdown(aSessionReport({ records: [aFailedRecord(), aRecord({ jobs: [RAN] })] })), 1),
  ).toEqual({
    "#": "2",
    offer: "11",
    instance: "7001001",
    GPU: "1 × RTX 4090",
    host: "40211",
    "price per hour": "0.60 USD",
    "rented for": "1h",
    stages: "booting 1m 33s, starting 45s, ready 57m 42s",
    cost: "0.59 USD",
    jobs: "job 1, test &#40;3.12&#41;: success, 5m, 0.59 USD",
    "why it ended": "gave itself back",
  });
});

test("four jobs of one machine, with names as a matrix makes them: the last one's cost is there", () => {
  const job = (n: number) => ({
    name: `gpu / test (${n}, precision-bf16, torch-2.8.0+cu128, ubuntu-24.04)`.padEnd(100, "x"),
    conclusion: "success",
    seconds: 100 * n,
  });
  const records = [aRecord({ jobs: [1, 2, 3, 4].map(job) })];
  expect(rowAsObject(summaryMarkdown(aSessionReport({ records }))).jobs).toMatch(/success, 6m 40s, 0\.23 USD$/);
});

test("what is not gone is rented until now", () => {
  const unknown = aRecord({ at: { asked: START, created: START }, last: "created" });
  const markdown = summaryMarkdown(aSessionReport({ records: [unknown], end: START + 600_000 }));
  expect(rowAsObject(markdown)).toMatchObject({ stages: "booting 10m", "rented for": "10m" });
});

test("a chart of the machines' time comes before the table, and what to do after it", () => {
  const end = { kind: "failed", what: "other", message: "It broke.", hint: "Mend it.", taken: 0 } as const;
  const markdown = summaryMarkdown(aSessionReport({ records: [aRecord(), aFailedRecord()], mainEnd: end }));
  expect(markdown).toMatch(/^### It broke\.\n\n```mermaid\n[\s\S]*?section machine 2[\s\S]*?```\n\n\| # \|/);
  expect(markdown).toMatch(/\n\n\*\*What to do:\*\* Mend it\.\n\n\*\*Still rented: nothing\.\*\*\n$/);
});

test("a job's name leads to its page, where GitHub said its id", () => {
  const runUrl = "https://github.com/octo/gpu-lib/actions/runs/5";
  const records = [aRecord({ jobs: [{ ...RAN, id: 77 }, { ...RAN }] })];
  const { jobs } = rowAsObject(summaryMarkdown(aSessionReport({ records, runUrl })));
  expect(jobs).toMatch(
    /^job 1, \[test &#40;3\.12&#41;\]\(https:\/\/github\.com\/octo\/gpu-lib\/actions\/runs\/5\/job\/77\): /,
  );
  expect(jobs).toContain("; job 2, test &#40;3.12&#41;: ");
});

test("no address is in the heading: the table has the links", () => {
  const message =
    "'test' (failure: https://github.com/o/r/actions/runs/5/job/7), 'a' (https://github.com/o/r/x) did not succeed. More.";
  const end = { kind: "failed", what: "other", message, hint: "Look.", taken: 0 } as const;
  const [title] = summaryMarkdown(aSessionReport({ mainEnd: end })).split("\n");
  expect(title).toBe("### 'test' &#40;failure&#41;, 'a' did not succeed.");
});

test.each([
  [1, "1 offer was gone when it was asked for."],
  [3, "3 offers were gone when they were asked for."],
])("%i offers that were gone", (taken, sentence) => {
  expect(summaryMarkdown(aSessionReport({ taken }))).toContain(sentence);
  expect(summaryMarkdown(aSessionReport({ taken, records: [] }))).toContain(sentence);
});

test("without a machine there is neither a table nor a chart", () => {
  const markdown = summaryMarkdown(
    aSessionReport({ records: [], mainEnd: { kind: "no-job", message: "No job asks." } }),
  );
  expect(markdown).toBe("### No job asks.\n\n**Still rented: nothing.**\n");
});

describe("what is still rented", () => {
  test("nothing", () => {
    expect(summaryMarkdown(aSessionReport())).toContain("**Still rented: nothing.**");
  });

  test("by name, when it could not be confirmed to be gone", () => {
    const undestroyed = ["instance 7001001", "whatever is labelled ghr1.1.2-1.abcdef.…"];
    const markdown = summaryMarkdown(aSessionReport({ undestroyed }));
    expect(markdown).toMatch(/^### A machine may still be billing\./);
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
    "```\n::error::obey\n##[error]obey",
    "https://evil.example www.evil.example",
    "<!-- swallowed",
  ];
  /** Without the escapes, which are all that is left of it. */
  const bare = (text: string) => text.replace(/&#\d+;/g, "");
  const POWER = /[<>[\]`*~]|:\/\/|::|www\.|#/;

  test.each(attacks)("%j as the GPU's name and as the last state", (text) => {
    const evil = aRecord({ offer: { id: 11, gpuName: text, numGpus: 1 }, last: text });
    const markdown = summaryMarkdown(aSessionReport({ records: [evil] }));
    expect(markdown.split("\n")).toHaveLength(summaryMarkdown(aSessionReport()).split("\n").length);
    const [head, , row] = rowsOf(markdown);
    expect(row).toHaveLength(head?.length ?? 0);
    expect(bare(row?.join(" ") ?? "")).not.toMatch(POWER);
    expect(bare(markdown.split("\n")[0]?.slice(4) ?? "")).not.toMatch(POWER);
  });

  test.each(attacks)("%j in main's error", (text) => {
    const markdown = summaryMarkdown(
      aSessionReport({ records: [], mainEnd: { kind: "failed", what: "other", message: text, hint: text, taken: 0 } }),
    );
    const [title = "", ...others] = markdown.split("\n");
    expect(bare(title.slice(4))).not.toMatch(POWER);
    const hint = others.find((line) => line.startsWith("**What to do:** "))?.slice("**What to do:** ".length);
    expect(bare(hint ?? "none")).not.toMatch(POWER);
  });
});
