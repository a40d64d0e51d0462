/** The service's answer: JSON in `body`, or a text, plain unless `type` says otherwise. */
export type ServiceAnswer =
  | { status: number; body: unknown }
  | { status: number; text: string; type?: "application/json" };
