import { z } from "zod";

// Open on what we receive: a field that is missing, null or of another type is "not known", and
// never breaks the whole answer.

function orInText<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((value) => (typeof value === "string" && value.trim() !== "" ? Number(value) : value), schema);
}

/** A number, or a string that holds one, as was seen. Null is not a number. */
export const aNumber = orInText(z.number());

/** The id of an instance or an offer: whole and positive, because it becomes part of a path. */
export const anId = orInText(z.int().positive());

/** The same, or undefined when the service did not give one. */
export const maybeId = anId.optional().catch(undefined);

/** A price or a cost. A negative one is refused: it would make room in the budget for others. */
export const anAmount = orInText(z.number().nonnegative());

/** The same, or undefined when the service did not give one. */
export const maybeAmount = anAmount.optional().catch(undefined);

/** A number, or undefined when the service did not give one. */
export const maybeNumber = aNumber.optional().catch(undefined);

/** A string without blanks around it, or undefined. Real answers carry trailing line breaks. */
export const maybeString = z.string().trim().optional().catch(undefined);

/** A boolean, or undefined. */
export const maybeBoolean = z.boolean().optional().catch(undefined);

/** Reads an array and leaves out the rows that can't be read, so that one broken row does not hide the others. */
export function readableRows<Row>(row: z.ZodType<Row>): z.ZodType<Row[]> {
  return z.array(z.unknown()).transform((rows) =>
    rows.flatMap((candidate) => {
      const parsed = row.safeParse(candidate);
      return parsed.success ? [parsed.data] : [];
    }),
  );
}
