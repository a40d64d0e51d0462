import { describe, test } from "vitest";
import { ROWS } from "./evidence.ts";

describe("one-sided evidence costs no machine and no job", () => {
  for (const { row, story, holds } of ROWS) test(`row ${row}: ${story}`, holds);
});
