import { z } from "zod";
import { missingInstance } from "../../rentals/missing-instance.ts";
import type { Operation } from "../../service-world.ts";
import { notInTheSeed } from "../../traffic/not-in-the-seed.ts";
import { Refusal } from "../../traffic/refusal.ts";

const Body = z.strictObject({ ids: z.array(z.int()).min(1), state: z.enum(["running", "stopped"]) });

/**
 * `PUT /api/v0/instances/`: not in the seed. Stops or starts several. SPEC-SILENT: an unknown one
 * leaves all as they are.
 */
export const changeInstances: Operation = ({ body }, { dialect, rentals }) => {
  notInTheSeed(dialect);
  const given = Body.safeParse(body).data;
  if (!given) throw new Refusal(400, { error: "invalid_args", msg: "ids and a state, stopped or running, are needed" });
  const records = given.ids.map((id) => {
    const record = rentals.find(id);
    if (!record) throw missingInstance(id, dialect);
    return record;
  });
  for (const record of records) given.state === "running" ? rentals.start(record) : rentals.stop(record, "account");
  return { status: 200, body: { success: true } };
};
