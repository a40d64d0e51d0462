import { z } from "zod";

// Open on what we receive: a field that is missing, null or of another type is "not known", and never breaks the whole answer.

/** A number. Numbers in strings were seen; null is not one. */
export const aNumber = z.preprocess(
  (value) => (typeof value === "string" && value.trim() !== "" ? Number(value) : value),
  z.number(),
);

/** A number, or undefined when the service did not give one. */
export const maybeNumber = aNumber.optional().catch(undefined);

/** A string without blanks around it, or undefined. Real answers carry trailing line breaks. */
export const maybeString = z.string().trim().optional().catch(undefined);

/** A boolean, or undefined. */
export const maybeBoolean = z.boolean().optional().catch(undefined);

/** An array whose unreadable rows are left out, so that one broken row does not hide the others. */
export function readableRows<Row>(row: z.ZodType<Row>): z.ZodType<Row[]> {
  return z.array(z.unknown()).transform((rows) =>
    rows.flatMap((candidate) => {
      const parsed = row.safeParse(candidate);
      return parsed.success ? [parsed.data] : [];
    }),
  );
}
