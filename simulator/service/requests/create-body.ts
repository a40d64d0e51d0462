import { z } from "zod";
import type { Template } from "../../scenario/scenario.ts";
import { findTemplate, templateDefaults } from "../catalog/template.ts";
import { ObservedVolumeInfo, SeedVolumeInfo, type VolumeInfo } from "../catalog/volumes.ts";
import { IMAGE_LOGIN } from "../rentals/image-login.ts";
import type { InstanceOrder } from "../rentals/instance-record.ts";
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
  const fields = readFields(dialect === "seed" ? SeedBody : ObservedBody, given, codeOf);
  const hash = fields.template_hash_id;
  const template = hash === undefined ? null : findTemplate(hash, templates, dialect);
  const order = orderOf(template ? merge(fields, template) : fields, template);
  // Observed: true on demand with target running, else false. SPEC-SILENT: in the seed; false.
  const isPlain = dialect === "observed" && order.price === null && order.targetState === "running";
  return { order, cancelUnavail: fields.cancel_unavail ?? isPlain };
}

type Fields = z.infer<typeof SeedBody> & { args?: string[] | undefined; volume_info?: VolumeInfo | undefined };

/** Seed, Create rules 2 and 3: what the request says wins; of `env` name by name. */
function merge(fields: Fields, template: Template): Fields {
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  const defaults = templateDefaults(template);
  return { ...defaults, ...given, env: { ...defaults.env, ...fields.env } };
}

function orderOf(fields: Fields, template: Template | null): InstanceOrder {
  const { image, label = null, disk = 8, env = {}, onstart = "", args = [], price = null, vm = false } = fields;
  const { args_str: argsStr = null, target_state: targetState = "running", volume_info: volumeInfo = null } = fields;
  const { use_jupyter_lab: lab = false, jupyter_dir: dir = null, image_login: imageLogin = null } = fields;
  const { python_utf8: pythonUtf8 = false, lang_utf8: langUtf8 = false } = fields;
  if (image === undefined) throw invalidArgs("image or template_hash_id is required");
  const runtype = fields.runtype ?? (args.length > 0 || argsStr !== null ? "args" : "ssh");
  const container = { image, disk, runtype, env, onstart, args, argsStr, vm, imageLogin, volumeInfo, template };
  return { ...container, label, price, targetState, jupyter: { lab, dir }, locale: { pythonUtf8, langUtf8 } };
}

/** The description has a code of its own for a price that can't be. */
function codeOf({ issues }: z.ZodError): string {
  return issues.every(({ path }) => path[0] === "price") ? "invalid_price" : "invalid_args";
}
