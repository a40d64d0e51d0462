import { z } from "zod";
import { booleanField, numberField } from "./input-fields.ts";
import { inputSchema } from "./input-schema.ts";
import { readWith } from "./inputs.ts";

/** The sweep's inputs. A repo test keeps them, sweep/action.yml and the README equal. */
export const sweepInputSchema = z.strictObject({
  ...inputSchema.pick({ "api-key": true, "api-url": true, "job-token": true }).shape,
  "dry-run": booleanField(false),
  "max-destroy": numberField({ min: 1, max: 1000, whole: true, unit: "machines", fallback: "20" }),
  "cancel-stuck-runs": booleanField(true),
  "rerun-lost": booleanField(false),
});

/** Every input of the sweep, read. */
export type SweepInputs = Readonly<z.infer<typeof sweepInputSchema>>;

/** Reads and checks the inputs of the sweep, all at once. */
export function readSweepInputs(): SweepInputs {
  return readWith(sweepInputSchema, "Nothing was swept.");
}
