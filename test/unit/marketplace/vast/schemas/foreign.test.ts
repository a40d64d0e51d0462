import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  aNumber,
  maybeBoolean,
  maybeNumber,
  maybeString,
  readableRows,
} from "../../../../../src/marketplace/vast/schemas.ts";

const NOT_A_NUMBER = [null, undefined, "", "  ", "abc", Number.NaN, Number.POSITIVE_INFINITY, true, {}, [7]];

describe("aNumber", () => {
  test.each([
    [7, 7],
    [-1, -1],
    [0, 0],
    ["0.40", 0.4],
    [" 22 ", 22],
  ])("reads %j", (given, number) => {
    expect(aNumber.parse(given)).toBe(number);
  });

  test.each(NOT_A_NUMBER)("refuses %j, and never takes it for 0", (given) => {
    expect(aNumber.safeParse(given).success).toBe(false);
  });
});

describe("a field that is missing or of another type is not known", () => {
  test.each(NOT_A_NUMBER)("maybeNumber %j", (given) => {
    expect(maybeNumber.parse(given)).toBeUndefined();
  });

  test.each([null, undefined, 7, true, {}, []])("maybeString %j", (given) => {
    expect(maybeString.parse(given)).toBeUndefined();
  });

  test.each([null, undefined, 0, 1, "true", {}])("maybeBoolean %j", (given) => {
    expect(maybeBoolean.parse(given)).toBeUndefined();
  });
});

test("a string loses the line breaks that real answers carry", () => {
  expect(maybeString.parse("203.0.113.7 \n")).toBe("203.0.113.7");
});

test("one broken row does not hide the others", () => {
  const rows = readableRows(z.looseObject({ id: aNumber }));
  expect(rows.parse([{ id: 1 }, null, { id: null }, "row", { id: "3", more: true }])).toEqual([
    { id: 1 },
    { id: 3, more: true },
  ]);
});

test("what is no array is no answer", () => {
  const rows = readableRows(z.looseObject({ id: aNumber }));
  for (const given of [null, undefined, {}, "[]"]) expect(rows.safeParse(given).success).toBe(false);
});
