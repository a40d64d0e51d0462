import { expect, test } from "vitest";
import { facts, stage } from "./facts.ts";
import { historyBreaches } from "./history-breaches.ts";

const RECORD = `known-1.${"a".repeat(22)}.${"b".repeat(900)}`;

function breaches(post: string, main = "Nothing is known of earlier runs: none.") {
  return historyBreaches(facts({ main: stage("main", { log: main }), post: stage("post", { log: post }) }));
}

test("records of a run, and a run without any, are all right", () => {
  expect(breaches(`a line\n${RECORD}\n${RECORD}\nanother`)).toEqual([]);
  expect(breaches("")).toEqual([]);
  expect(historyBreaches(facts({}))).toEqual([]);
});

test.each([
  ["a line that is too long", `${RECORD}${"b".repeat(100)}`, undefined],
  ["a line that is no record", "known-1.::error::x", undefined],
  ["a history that is too long", `${RECORD}\n`.repeat(60), undefined],
  ["a sentence that is said twice", "", "Nothing is known of earlier runs: x\nNothing is known of earlier runs: y"],
  ["a history of nobody's that is believed", "", "Known: 1 host, 1 that have this image, from run 4700"],
  ["a history in main", "", RECORD],
])("%s is reported", (_what, post, main) => {
  expect(breaches(post, main)).not.toEqual([]);
});
