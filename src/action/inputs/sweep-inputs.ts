import { z } from "zod";
import { addressField, choiceField, numberField, textField } from "./input-fields.ts";
import { readWith } from "./inputs.ts";

const KEY = { pattern: /^[\x21-\x7e]+$/, words: "a key or token, without blanks" };

/** The sweep's inputs. A repo test keeps them, sweep/action.yml and the README equal. */
export const sweepInputSchema = z.strictObject({
  "api-key": textField(KEY),
  "api-url": addressField("https://console.vast.ai"),
  "job-token": textField({ ...KEY, required: true }),
  "dry-run": choiceField(["true", "false"], "false"),
  "max-destroy": numberField({ min: 1, max: 1000, whole: true, unit: "machines", fallback: "20" }),
  "cancel-stuck-runs": choiceField(["true", "false"], "true"),
  "rerun-lost": choiceField(["true", "false"], "false"),
});

/** Every input of the sweep, read. */
export type SweepInputs = Readonly<z.infer<typeof sweepInputSchema>>;

/** Reads and checks the inputs of the sweep, all at once. */
export function readSweepInputs(): SweepInputs {
  return readWith(sweepInputSchema, "Nothing was swept.");
}
