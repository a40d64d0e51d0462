// The service's answers, as far as they are read. Fields that are not named here are kept. A field
// that is missing, null or of another type is "not known", and never breaks the whole answer.

import { z } from "zod";
import { withoutSecrets } from "../../shared/foreign-text.ts";
import { parseJson } from "../../shared/json.ts";

/** Reads a value, also where the service wrote it as a text. */
function orInText<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((value) => (typeof value === "string" && value.trim() !== "" ? Number(value) : value), schema);
}

/** Reads a field that may be missing: undefined if the service gave none, or one that can't be read. */
function maybe<Schema extends z.ZodType>(schema: Schema) {
  return schema.optional().catch(undefined);
}

/** A number, or a string that holds one, as was seen. Null is not a number. */
export const aNumber = orInText(z.number());
export const maybeNumber = maybe(aNumber);

/** The id of an instance or an offer: whole and positive, because it becomes part of a path. */
const anId = orInText(z.int().positive());

/** A price or a cost. A negative one is refused: it would make room in the budget for others. */
const anAmount = orInText(z.number().nonnegative());
const maybeAmount = maybe(anAmount);

/** A string without blanks around it. Real answers carry trailing line breaks. */
const bareString = z.string().trim();
/** One that may be ours: a label, or a key that is to be masked yet. */
const maybeOurs = maybe(bareString);
/** One of the service, a host or a template. */
export const maybeString = maybe(bareString.transform(withoutSecrets));
export const maybeBoolean = maybe(z.boolean());

function sameFields<Name extends string, Field extends z.ZodType>(field: Field, ...names: readonly Name[]) {
  return Object.fromEntries(names.map((name) => [name, field])) as { [name in Name]: Field };
}

/** Reads an array and leaves out the rows that can't be read, so that one broken row does not hide the others. */
export function readableRows<Row>(row: z.ZodType<Row>): z.ZodType<Row[]> {
  return z.array(z.unknown()).transform((rows) =>
    rows.flatMap((candidate) => {
      const parsed = row.safeParse(candidate);
      return parsed.success ? [parsed.data] : [];
    }),
  );
}

/**
 * A rentable machine. USD per hour, and for `storage_cost` per GB and month, for `inet_…_cost` per GB; `gpu_ram` and
 * `cpu_ram`, of the whole machine, in MB; `compute_cap` times 100; `inet_down` in Mbit/s; `disk_space` in GB;
 * `duration` in seconds left; `hosting_type` 1 in a data centre.
 */
export const offerSchema = z.looseObject({
  id: anId,
  num_gpus: aNumber,
  gpu_name: z.string().transform(withoutSecrets),
  dph_total: anAmount,
  ...sameFields(maybeAmount, "dph_base", "min_bid", "storage_cost", "storage_total_cost"),
  ...sameFields(maybeAmount, "inet_down_cost", "inet_up_cost"),
  ...sameFields(maybeNumber, "machine_id", "hosting_type", "reliability", "reliability2", "disk_space", "duration"),
  ...sameFields(maybeNumber, "gpu_ram", "gpu_frac", "compute_cap", "cuda_max_good", "score", "dlperf_per_dphtotal"),
  ...sameFields(maybeNumber, "cpu_cores", "cpu_cores_effective", "cpu_ram", "inet_down"),
  ...sameFields(maybeBoolean, "verified", "rentable", "rented", "external"),
  ...sameFields(maybeString, "verification", "cpu_arch", "geolocation"),
});

export type WireOffer = z.infer<typeof offerSchema>;

/** Docker's map, `{"22/tcp": [{"HostPort": "50001"}]}`; described as a list of numbers: anything may come. */
const ports = maybe(z.record(z.string(), z.array(z.looseObject({ HostPort: maybeNumber })).nullable()));

/** An instance. `actual_status` is missing while it is provisioned; `start_date` in seconds, `inet_…_billed` in KB. */
export const instanceSchema = z.looseObject({
  id: anId,
  label: maybeOurs,
  ...sameFields(maybeString, "actual_status", "intended_status", "cur_state", "next_state", "status_msg"),
  ...sameFields(maybeString, "ssh_host", "public_ipaddr"),
  ...sameFields(maybeNumber, "machine_id", "ssh_port", "start_date", "dph_total", "inet_down_billed", "inet_up_billed"),
  is_bid: maybeBoolean,
  ports,
});

export type WireInstance = z.infer<typeof instanceSchema>;

/** The columns to ask a list for. Never `*`: an instance's environment holds runner configurations. */
export const INSTANCE_COLUMNS = Object.keys(instanceSchema.shape);

/** The answer to *create instance*. `new_contract` is the instance's id; errors were seen to have it, too. */
export const createAnswerSchema = z.looseObject({
  success: maybeBoolean,
  new_contract: maybe(anId),
  instance_api_key: maybeOurs,
});

/** The account behind the key. `credit` in USD. `key_id`: the id of the key that asked, not in the specification. */
export const userSchema = z.looseObject({
  ...sameFields(maybeNumber, "id", "credit", "key_id"),
  ...sameFields(maybeString, "email", "ssh_key"),
});

export type User = z.infer<typeof userSchema>;

/** A key of the account. Its secret is shown only when it is made. */
export const apiKeySchema = z.looseObject({
  id: aNumber,
  name: maybeString,
  user_id: maybeNumber,
  permissions: z.unknown().optional(),
  rights: z.unknown().optional(),
});

export type ApiKey = z.infer<typeof apiKeySchema>;

const permissionObject = z.looseObject({ api: z.record(z.string(), z.unknown()) });

/** `{api: {<permission>: {}}}`: what a key may do. */
export type PermissionObject = z.infer<typeof permissionObject>;

/** Lists the names of a key's permissions, if it shows them. SPEC-SILENT: in which field, as an object or a text. */
export function permissionsOf({ permissions, rights }: Partial<ApiKey>): string[] | undefined {
  for (const given of [permissions, rights]) {
    const read = permissionObject.safeParse(typeof given === "string" ? parseJson(given) : given);
    if (read.success) return Object.keys(read.data.api);
  }
  return undefined;
}

/** A volume, or room for one; `instances`: ids of its users. GB, USD per GB and month. Not in the specification. */
export const volumeSchema = z.looseObject({
  id: aNumber,
  ...sameFields(maybeNumber, "machine_id", "disk_space", "storage_cost"),
  ...sameFields(maybeString, "status", "label"),
  instances: maybe(z.array(aNumber)),
});

/** A text as it is, blanks and line ends included. */
const maybeText = maybe(z.string().transform(withoutSecrets));

/** Filters of a search by field; seen as an object, and as JSON in a text. */
const filters = z.preprocess(
  (value) => (typeof value === "string" ? parseJson(value) : value),
  maybe(z.record(z.string(), z.unknown())),
);

/** A bundle of defaults for instances; only `hash_id` and `name` are promised. The login is never shown. */
export const templateSchema = z.looseObject({
  hash_id: z.string(),
  ...sameFields(maybeText, "name", "desc", "readme", "env", "onstart", "args_str", "href", "repo"),
  ...sameFields(maybeText, "jupyter_dir", "docker_login_repo"),
  ...sameFields(maybeString, "image", "tag", "default_tag", "runtype"),
  ...sameFields(maybeBoolean, "ssh_direct", "use_ssh", "jup_direct", "use_jupyter_lab", "private", "recommended"),
  ...sameFields(maybeNumber, "id", "creator_id", "created_at", "count_created", "recent_create_date"),
  recommended_disk_space: maybeNumber,
  extra_filters: filters,
});

/** A template as the service shows it. */
export type WireTemplate = z.infer<typeof templateSchema>;
