import { z } from "zod";
import type { InstanceRecord } from "../../rentals/instance-record.ts";
import { missingInstance } from "../../rentals/missing-instance.ts";
import type { Rentals } from "../../rentals/rentals.ts";
import type { Call, Operation } from "../../service-world.ts";
import type { Dialect } from "../../traffic/dialect.ts";
import { findFault } from "../../traffic/find-fault.ts";
import { Refusal } from "../../traffic/refusal.ts";
import type { ServiceAnswer } from "../../traffic/service-answer.ts";

const StateBody = z.strictObject({ state: z.enum(["running", "stopped"]) });
const LabelBody = z.strictObject({ label: z.string() });

/** `PUT /api/v0/instances/{instance_id}/`: stop, start or (observed only) another label. */
export const changeInstance: Operation = (call, { rentals, dialect }) => {
  const change = readChange(call, dialect);
  const record = rentals.find(call.id);
  if (!record) throw missingInstance(call.id, dialect);
  if ("label" in change) record.label = change.label;
  else if (change.state === "running") return start(call, record, rentals);
  else rentals.stop(record, call.caller.kind === "instance" ? "instance" : "account");
  return { status: 200, body: { success: true } };
};

function start({ faults }: Call, record: InstanceRecord, rentals: Rentals): ServiceAnswer {
  const queued = findFault(faults, "start-queued");
  if (!queued) {
    rentals.start(record);
    return { status: 200, body: { success: true } };
  }
  rentals.startLater(record, queued.seconds);
  const msg = "Required resources are currently unavailable, state change queued.";
  return { status: 200, body: { success: false, error: "resources_unavailable", msg } };
}

function readChange({ body }: Call, dialect: Dialect) {
  const state = StateBody.safeParse(body);
  // SPEC-SILENT: the seed shows only `stopped`; an instance key can start it, so by `running`.
  if (state.success) return state.data;
  const label = LabelBody.safeParse(body);
  // The seed shows no change of the label.
  if (!label.success || dialect === "seed") {
    throw new Refusal(400, { error: "invalid_args", msg: "state must be stopped or running" });
  }
  if (label.data.label.length > 1024) {
    throw new Refusal(400, { error: "label_too_long", msg: "label may have 1024 characters" });
  }
  return label.data;
}
