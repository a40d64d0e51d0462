import { z } from "zod";
import type { InstanceRecord } from "../../rentals/instance-record.ts";
import { phases } from "../../rentals/lifecycle.ts";
import type { Operation } from "../../service-world.ts";
import { Refusal } from "../../traffic/refusal.ts";

const Body = z.strictObject({
  // SPEC-SILENT: how many lines without it; as many as the official client asks for otherwise.
  tail: z.string().regex(/^\d+$/).default("1000"),
  filter: z.string().optional(),
  daemon_logs: z.literal("true").optional(),
});

/** `PUT /api/v0/instances/request_logs/{instance_id}/`: not in the specification. */
export const requestLogs: Operation = ({ id, body }, { rentals, clock, dialect, logFiles, containerLog }) => {
  if (dialect === "seed") throw new Refusal(404, { error: "not_found", msg: "There is no such path." });
  const wanted = Body.safeParse(body).data;
  if (!wanted) throw new Refusal(400, { error: "invalid_args", msg: "tail must be a number in a text" });
  const record = rentals.find(id);
  if (!record) throw new Refusal(404, { error: "invalid_id", msg: `There is no instance ${id}.` });
  const whole = wanted.daemon_logs ? daemonLog(record, clock.now()) : containerLog(id);
  const result_url = logFiles.add(lastLines(whole, Number(wanted.tail), wanted.filter));
  return { status: 200, body: { success: true, result_url, msg: "Logs were requested." } };
};

/** The host's word on the container: each status of the boot with its message. */
function daemonLog(record: InstanceRecord, now: number): string {
  return phases(record)
    .filter(({ from, status_msg }) => from <= now && status_msg !== null)
    .map(({ from, actual_status, status_msg }) => `${new Date(from).toISOString()} ${actual_status}: ${status_msg}`)
    .join("\n");
}

function lastLines(text: string, tail: number, filter = ""): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "" && line.includes(filter));
  return tail === 0 ? "" : lines.slice(-tail).join("\n");
}
