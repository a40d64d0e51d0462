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
 * A rentable machine. The specification promises only id, num_gpus, gpu_name and dph_total; every
 * other field may be missing. Prices in USD per hour, `storage_cost` in USD per GB and month,
 * `inet_…_cost` in USD per GB, `gpu_ram` in MB, `cpu_ram` in MB of the whole machine, `compute_cap`
 * times 100, `inet_down` in Mbit/s, `disk_space` in GB, `duration` in seconds left, `hosting_type`
 * 1 in a data centre.
 */
export const offerSchema = z.looseObject({
  id: anId,
  num_gpus: aNumber,
  gpu_name: z.string().transform(withoutSecrets),
  dph_total: anAmount,
  dph_base: maybeAmount,
  min_bid: maybeAmount,
  storage_cost: maybeAmount,
  storage_total_cost: maybeAmount,
  machine_id: maybeNumber,
  reliability: maybeNumber,
  reliability2: maybeNumber,
  verified: maybeBoolean,
  verification: maybeString,
  rentable: maybeBoolean,
  rented: maybeBoolean,
  external: maybeBoolean,
  cpu_arch: maybeString,
  disk_space: maybeNumber,
  duration: maybeNumber,
  gpu_ram: maybeNumber,
  gpu_frac: maybeNumber,
  compute_cap: maybeNumber,
  cuda_max_good: maybeNumber,
  cpu_cores: maybeNumber,
  cpu_cores_effective: maybeNumber,
  cpu_ram: maybeNumber,
  inet_down: maybeNumber,
  inet_down_cost: maybeAmount,
  inet_up_cost: maybeAmount,
  hosting_type: maybeNumber,
  score: maybeNumber,
  dlperf_per_dphtotal: maybeNumber,
  geolocation: maybeString,
});

export type WireOffer = z.infer<typeof offerSchema>;

/**
 * Docker's map of ports, `{"22/tcp": [{"HostPort": "50001"}]}`; the service's description calls it
 * a list of numbers, so anything may come.
 */
const ports = maybe(z.record(z.string(), z.array(z.looseObject({ HostPort: maybeNumber })).nullable()));

/**
 * The instance that *create instance* makes. `actual_status` is null or missing while it is
 * provisioned; unknown values are kept. `start_date` in Unix seconds, `inet_…_billed` in KB since
 * the creation.
 */
export const instanceSchema = z.looseObject({
  id: anId,
  label: maybeOurs,
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

export type WireInstance = z.infer<typeof instanceSchema>;

/** The columns to ask a list for. Never `*`: an instance's environment holds runner configurations. */
export const INSTANCE_COLUMNS = Object.keys(instanceSchema.shape);

/** The answer to *create instance*. `new_contract` is the instance's id; errors were seen to have it, too. */
export const createAnswerSchema = z.looseObject({
  success: maybeBoolean,
  new_contract: maybe(anId),
  instance_api_key: maybeOurs,
});

export type WireCreateAnswer = z.infer<typeof createAnswerSchema>;

/** The account behind the key. `credit` in USD. `key_id`: the id of the key that asked, not in the specification. */
export const userSchema = z.looseObject({
  id: maybeNumber,
  email: maybeString,
  credit: maybeNumber,
  ssh_key: maybeString,
  key_id: maybeNumber,
});

export type User = z.infer<typeof userSchema>;

/** `{api: {<permission>: {}}}`: what a key may do. */
export interface PermissionObject {
  api: Readonly<Record<string, unknown>>;
}

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

/**
 * Lists the names of a key's permissions; undefined if the row does not show them.
 * SPEC-SILENT: which field has them; they are looked for in `permissions` and `rights`, as an
 * object or as JSON in a text.
 */
export function permissionsOf({ permissions, rights }: Partial<ApiKey>): string[] | undefined {
  for (const given of [permissions, rights]) {
    const read = permissionObject.safeParse(typeof given === "string" ? parseJson(given) : given);
    if (read.success) return Object.keys(read.data.api);
  }
  return undefined;
}

/** A volume; `instances`: ids of its users. The specification shows no field of it. */
export const volumeSchema = z.looseObject({
  id: aNumber,
  machine_id: maybeNumber,
  disk_space: maybeNumber,
  storage_cost: maybeNumber,
  status: maybeString,
  label: maybeString,
  instances: maybe(z.array(aNumber)),
});

export type WireVolume = z.infer<typeof volumeSchema>;

/** A text as it is, blanks and line ends included. */
const maybeText = maybe(z.string().transform(withoutSecrets));

/** Filters of a search by field; seen as an object, and as JSON in a text. */
const filters = z.preprocess(
  (value) => (typeof value === "string" ? parseJson(value) : value),
  maybe(z.record(z.string(), z.unknown())),
);

/**
 * A stored bundle of default settings for instances. Search results are promised only to have
 * `hash_id` and `name`; times in Unix seconds, `recommended_disk_space` in GB. The login's user and
 * password are never shown.
 */
export const templateSchema = z.looseObject({
  id: maybeNumber,
  hash_id: z.string(),
  name: maybeText,
  image: maybeString,
  tag: maybeString,
  desc: maybeText,
  readme: maybeText,
  env: maybeText,
  onstart: maybeText,
  runtype: maybeString,
  args_str: maybeText,
  ssh_direct: maybeBoolean,
  use_ssh: maybeBoolean,
  jup_direct: maybeBoolean,
  jupyter_dir: maybeText,
  use_jupyter_lab: maybeBoolean,
  docker_login_repo: maybeText,
  href: maybeText,
  repo: maybeText,
  extra_filters: filters,
  recommended_disk_space: maybeNumber,
  private: maybeBoolean,
  creator_id: maybeNumber,
  created_at: maybeNumber,
  count_created: maybeNumber,
  default_tag: maybeString,
  recent_create_date: maybeNumber,
  recommended: maybeBoolean,
});

/** A template as the service shows it. */
export type WireTemplate = z.infer<typeof templateSchema>;
