import { expect, test } from "vitest";
import { OwnHistory } from "../../../src/action/own-history.ts";

const NOW = 1_795_000_000_000;

test("a session begins without a past, and knows each host that it noted", () => {
  const history = new OwnHistory();
  expect(history).toMatchObject({ known: new Map(), isKept: false });
  history.note({ kind: "served", machine: 7, at: NOW });
  history.note({ kind: "failed", machine: 8, at: NOW });
  expect([...history.known.keys()]).toEqual([7, 8]);
  expect(history.isKept).toBe(false);
});
