import { z } from "zod";
import { anId, maybeBoolean, maybeNumber, maybeString } from "./foreign.ts";

/**
 * Docker's map of ports, `{"22/tcp": [{"HostPort": "50001"}]}`; the service's description calls it
 * a list of numbers, so anything may come.
 */
const ports = z
  .record(z.string(), z.array(z.looseObject({ HostPort: maybeNumber })).nullable())
  .optional()
  .catch(undefined);

/**
 * The instance that *create instance* makes. `actual_status` null or missing: being provisioned;
 * unknown values are kept. `start_date` in Unix seconds, `inet_…_billed` in KB since its creation.
 */
export const instanceSchema = z.looseObject({
  id: anId,
  label: maybeString,
  actual_status: maybeString,
  intended_status: maybeString,
  cur_state: maybeString,
  next_state: maybeString,
  status_msg: maybeString,
  machine_id: maybeNumber,
  ssh_host: maybeString,
  ssh_port: maybeNumber,
  start_date: maybeNumber,
  dph_total: maybeNumber,
  is_bid: maybeBoolean,
  public_ipaddr: maybeString,
  ports,
  inet_down_billed: maybeNumber,
  inet_up_billed: maybeNumber,
});

export type Instance = z.infer<typeof instanceSchema>;

/** The columns that lists are asked for. Never `*`: the environment has runner configurations. */
export const INSTANCE_COLUMNS = Object.keys(instanceSchema.shape);
