import { describe, expect, test } from "vitest";
import { ROWS } from "./evidence.ts";
import { KNOWN_RED } from "./known-red.ts";

describe("issue 24, what must hold", () => {
  for (const { row, story, holds } of ROWS) {
    const red = KNOWN_RED[row];
    if (red === undefined) {
      test(`row ${row}: ${story}`, holds);
      continue;
    }
    test(`row ${row} is known to be red (${red.why}): ${story}`, async () => {
      const passes = await holds().then(
        () => true,
        () => false,
      );
      expect(passes, `row ${row} passes: delete it in known-red.ts`).toBe(false);
    });
  }

  test("every row that is known to be red has a story", () => {
    expect(ROWS.map(({ row }) => row)).toEqual(expect.arrayContaining(Object.keys(KNOWN_RED)));
  });
});
