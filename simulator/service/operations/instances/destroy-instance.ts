import { missingInstance } from "../../rentals/missing-instance.ts";
import type { Operation } from "../../service-world.ts";
import { Refusal } from "../../traffic/refusal.ts";

/** `DELETE /api/v0/instances/{instance_id}/` */
export const destroyInstance: Operation = ({ id, body, caller }, { rentals, dialect }) => {
  // The official client sends `{}`, the seed says no body.
  if (Object.keys(body).length > 0) throw new Refusal(400, { error: "invalid_args", msg: "destroy takes no body" });
  const record = rentals.find(id);
  if (!record) throw missingInstance(id, dialect);
  rentals.destroy(record, caller.kind === "instance" ? "instance" : "account");
  return { status: 200, body: { success: true } };
};
