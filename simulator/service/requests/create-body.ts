import { z } from "zod";
import type { Template } from "../../scenario/scenario.ts";
import { findTemplate, templateDefaults } from "../catalog/template.ts";
import { ObservedVolumeInfo, SeedVolumeInfo } from "../catalog/volumes.ts";
import { IMAGE_LOGIN } from "../rentals/image-login.ts";
import { type Dialect, invalidArgs } from "../traffic/refusal.ts";
import { type Body, readFields, withoutNulls } from "./request-body.ts";

const RUNTYPES = ["ssh_direct", "ssh_proxy", "ssh", "jupyter_direct", "jupyter_proxy", "jupyter", "args"];
/** The official client's own spelling: words that may stand side by side. */
const RUNTYPE_WORDS = ["ssh_direc", "ssh_proxy", "jupyter_direc", "jupyter_proxy"];

const envKey = z.string().regex(/^([A-Za-z_][A-Za-z0-9_]*|-p \d+:\d+(\/(tcp|udp))?)$/);
const observedEnvKey = z.union([envKey, z.string().regex(/^-[hvn]( \S+)?$/)]);
const MOST_PORTS = 64;

/** Variables and port mappings; the value of a mapping is 1 (seed, Create rule 4). */
function variables(key: z.ZodType<string, string>, most = Number.POSITIVE_INFINITY) {
  const ports = (env: Record<string, string>) => Object.entries(env).filter(([name]) => name.startsWith("-p "));
  return z
    .record(key, z.string())
    .refine((env) => JSON.stringify(env).length <= most, { error: `env is longer than ${most} characters` })
    .refine((env) => ports(env).length <= MOST_PORTS, { error: `env maps more than ${MOST_PORTS} ports` })
    .refine((env) => ports(env).every(([, value]) => value === "1"), {
      error: "the value of a port mapping must be 1",
    });
}

/** Seed: the instance creation configuration. */
const SeedBody = z.strictObject({
  image: z.string().min(1).optional(),
  template_hash_id: z.string().optional(),
  /** Seed, Create rule 3. SPEC-SILENT: what it does when the offer is chosen already; nothing. */
  extra_filters: z.record(z.string(), z.unknown()).optional(),
  label: z.string().optional(),
  disk: z.number().positive().optional(),
  runtype: z.enum(RUNTYPES).optional(),
  target_state: z.enum(["running", "stopped"]).optional(),
  price: z.number().optional(),
  env: variables(envKey).optional(),
  onstart: z.string().max(4048).optional(),
  args_str: z.string().optional(),
  use_jupyter_lab: z.boolean().optional(),
  jupyter_dir: z.string().optional(),
  python_utf8: z.boolean().optional(),
  lang_utf8: z.boolean().optional(),
  image_login: z.string().regex(IMAGE_LOGIN).optional(),
  cancel_unavail: z.boolean().optional(),
  vm: z.boolean().optional(),
  volume_info: SeedVolumeInfo.optional(),
});

/** Observed: limits of the published description, and the official client's further fields. */
const ObservedBody = SeedBody.extend({
  image: z.string().min(1).max(1024).optional(),
  label: z.string().max(256).optional(),
  disk: z.number().min(8).optional(),
  runtype: z.string().refine(isRuntype, { error: "unknown runtype" }).optional(),
  price: z.number().min(0.001).max(128).optional(),
  env: variables(observedEnvKey, 32_768).optional(),
  client_id: z.literal("me").optional(),
  extra: z.string().optional(),
  force: z.boolean().optional(),
  user: z.string().optional(),
  args: z.array(z.string()).optional(),
  volume_info: ObservedVolumeInfo.optional(),
});

function isRuntype(runtype: string): boolean {
  return RUNTYPES.includes(runtype) || runtype.split(" ").every((word) => RUNTYPE_WORDS.includes(word));
}

/** The service's defaults, and null for what there is none of. */
const DEFAULTS = {
  label: null,
  disk: 8,
  env: {} as Readonly<Record<string, string>>,
  onstart: "",
  args: [],
  args_str: null,
  price: null,
  target_state: "running" as const,
  use_jupyter_lab: false,
  jupyter_dir: null,
  python_utf8: false,
  lang_utf8: false,
  vm: false,
  image_login: null,
  volume_info: null,
};

type Read = z.output<typeof ObservedBody>;
type Fields = { [Field in keyof Read]?: Exclude<Read[Field], undefined> };
type Defaults = typeof DEFAULTS;

/**
 * The order of an instance, with the service's defaults filled in: `disk` in GB, `price` the bid in USD
 * per hour, null on demand; `image_login` is a secret, which nothing shows.
 */
export interface InstanceOrder
  extends Readonly<{ [Field in keyof Defaults]: Defaults[Field] | Required<Fields>[Field] }> {
  readonly image: string;
  readonly runtype: string;
  /** The template that it was made of. */
  readonly template: Template | null;
}

/** A create request, read and checked. */
export interface CreateRequest {
  readonly order: InstanceOrder;
  /** True: refuse when the machine can't be had. False: make a stopped instance of it. */
  readonly cancelUnavail: boolean;
}

/** Reads the body of create; throws the 400 that names the fault, unknown fields included. */
export function readCreateBody(body: Body, dialect: Dialect, templates: readonly Template[]): CreateRequest {
  const given = dialect === "observed" ? withoutNulls(body) : body;
  if ("template_id" in given) throw invalidArgs("template_id is not valid here; use template_hash_id");
  const fields = readFields(dialect === "seed" ? SeedBody : ObservedBody, given, codeOf) as Fields;
  const hash = fields.template_hash_id;
  const order = orderOf(fields, hash === undefined ? null : findTemplate(hash, templates, dialect));
  // Observed: true on demand with target running, else false. SPEC-SILENT: in the seed; false.
  const isPlain = dialect === "observed" && order.price === null && order.target_state === "running";
  return { order, cancelUnavail: fields.cancel_unavail ?? isPlain };
}

/** Seed, Create rules 2 and 3: what the request says wins over its template; of `env` name by name. */
function orderOf(fields: Fields, template: Template | null): InstanceOrder {
  const ofTemplate = template && templateDefaults(template);
  const order = { ...DEFAULTS, ...ofTemplate, ...fields, env: { ...ofTemplate?.env, ...fields.env }, template };
  if (order.image === undefined) throw invalidArgs("image or template_hash_id is required");
  const runtype = order.runtype ?? (order.args.length > 0 || order.args_str !== null ? "args" : "ssh");
  return { ...order, image: order.image, runtype };
}

/** The description has a code of its own for a price that can't be. */
function codeOf({ issues }: z.ZodError): string {
  return issues.every(({ path }) => path[0] === "price") ? "invalid_price" : "invalid_args";
}
