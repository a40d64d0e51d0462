import type { Instance } from "../../../src/marketplace/marketplace.ts";
import { instanceSchema } from "../../../src/marketplace/vast/schemas.ts";
import { instanceOf } from "../../../src/marketplace/vast/translate.ts";

/** An instance, read of a row in the service's own words. */
export function anInstance(row: object = {}): Instance {
  return instanceOf(instanceSchema.parse({ id: 7, ...row }));
}
