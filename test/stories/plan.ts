import fc from "fast-check";

/** A field of a plan: what it is in a plain one, and what is drawn for it. */
interface Field<Value> {
  plain: Value;
  any: fc.Arbitrary<Value>;
}

/** What a plan with such fields has. */
export type Values<Fields> = {
  [Name in keyof Fields]: Fields[Name] extends Field<infer Value> ? Value : never;
};

/** A whole number from the least to the most. */
export const whole = (min: number, max: number): fc.Arbitrary<number> => fc.integer({ min, max });

/** The usual so many times as often as another. */
export const often = <Value>(usual: Value, other: fc.Arbitrary<Value>, weight = 4): fc.Arbitrary<Value> =>
  fc.oneof({ arbitrary: fc.constant(usual), weight }, { arbitrary: other, weight: 1 });

/** A field that is drawn. */
export const drawn = <Value>(plain: Value, any: fc.Arbitrary<Value>): Field<Value> => ({ plain, any });

/** A field that mostly is as in a plain plan. */
export const mostly = <Value>(plain: Value, other: fc.Arbitrary<Value>, weight = 4): Field<Value> =>
  drawn(plain, often(plain, other, weight));

/** A field that only troubles and fixed stories change. */
export const still = <Value>(plain: Value): Field<Value> => drawn(plain, fc.constant(plain));

const mapped = (fields: object, of: (field: Field<unknown>) => unknown) =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, of(field)]));

/** A plain one. */
export function plainOf<Fields extends object>(fields: Fields): Values<Fields> {
  return mapped(fields, ({ plain }) => plain) as Values<Fields>;
}

/** Any one. */
export function anyOf<Fields extends object>(fields: Fields): fc.Arbitrary<Values<Fields>> {
  return fc.record(mapped(fields, ({ any }) => any) as never) as fc.Arbitrary<Values<Fields>>;
}
