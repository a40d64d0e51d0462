/** What the service answers: JSON in `body`, or a text, plain unless `type` says otherwise. */
export type ServiceAnswer =
  | { status: number; body: unknown }
  | { status: number; text: string; type?: "application/json" };

/** What the caller gets to see of it. */
export type Delivery =
  | { how: "answer"; answer: ServiceAnswer }
  /** The connection is destroyed without a byte. */
  | { how: "cut" }
  /** The connection stays open without a byte. */
  | { how: "silence" }
  /** The whole answer, bit by bit over so many simulated seconds. */
  | { how: "dripped"; answer: ServiceAnswer; seconds: number }
  /** The first bytes, then the connection is destroyed. */
  | { how: "truncated"; answer: ServiceAnswer; bytes: number };
