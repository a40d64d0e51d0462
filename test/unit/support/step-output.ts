import { afterEach, beforeEach, vi } from "vitest";

/** The output of the step under test, as the platform reads it; empty at the start of each test. */
export function stepOutput(): { text: string } {
  const output = { text: "" };
  beforeEach(() => {
    output.text = "";
    vi.spyOn(process.stdout, "write").mockImplementation((chunk) => {
      output.text += String(chunk);
      return true;
    });
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });
  return output;
}
