import { describe, test } from "vitest";
import { ROWS } from "./evidence.ts";
import { ROWS_OF_42 } from "./evidence-once.ts";

test.each(ROWS)("row $row: $story", ({ holds }) => holds());

/** Rows that the code breaks. Who mends one takes it away here, and the `breaks` of its trouble (troubles.ts). */
const BROKEN = new Set(["12", "12, the sweep", "18"]);

describe("issue 42", () => {
  for (const { holds, row, story } of ROWS_OF_42) {
    const told = BROKEN.has(row) ? test.fails : test;
    told(`row ${row}: ${story}`, holds);
  }
});
