import { describe, test } from "vitest";
import { ROWS } from "./evidence.ts";
import { ROWS_OF_42 } from "./evidence-once.ts";

test.each(ROWS)("row $row: $story", ({ holds }) => holds());

describe("issue 42", () => {
  test.each(ROWS_OF_42)("row $row: $story", ({ holds }) => holds());
});
