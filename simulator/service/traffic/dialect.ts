/** `seed`: the letter of the specification. `observed`: what the public service was seen to do. */
export type Dialect = "seed" | "observed";
