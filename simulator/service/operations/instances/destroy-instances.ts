import { z } from "zod";
import { missingInstance } from "../../rentals/missing-instance.ts";
import type { Operation } from "../../service-world.ts";
import { notInTheSeed } from "../../traffic/not-in-the-seed.ts";
import { Refusal } from "../../traffic/refusal.ts";

const Body = z.strictObject({ instance_ids: z.array(z.int()).min(1) });

/** `DELETE /api/v0/instances/`: not in the seed. SPEC-SILENT: an unknown one leaves all alive. */
export const destroyInstances: Operation = ({ body }, { dialect, rentals }) => {
  notInTheSeed(dialect);
  const given = Body.safeParse(body).data;
  if (!given) throw new Refusal(400, { error: "invalid_args", msg: "instance_ids are needed" });
  const records = given.instance_ids.map((id) => {
    const record = rentals.find(id);
    if (!record) throw missingInstance(id, dialect);
    return record;
  });
  for (const record of records) rentals.destroy(record, "account");
  return { status: 200, body: { success: true } };
};
