import { z } from "zod";
import type { Template } from "../../scenario/scenario.ts";
import { findTemplate, templateDefaults } from "../catalog/template.ts";
import { ObservedVolumeInfo, SeedVolumeInfo, type VolumeInfo } from "../catalog/volumes.ts";
import { IMAGE_LOGIN } from "../rentals/image-login.ts";
import type { InstanceOrder } from "../rentals/instance-record.ts";
import type { Dialect } from "../traffic/refusal.ts";
import { Refusal } from "../traffic/refusal.ts";

const RUNTYPES = ["ssh_direct", "ssh_proxy", "ssh", "jupyter_direct", "jupyter_proxy", "jupyter", "args"];
/** The official client's own spelling: words that may stand side by side. */
const RUNTYPE_WORDS = ["ssh_direc", "ssh_proxy", "jupyter_direc", "jupyter_proxy"];

const envKey = z.string().regex(/^([A-Za-z_][A-Za-z0-9_]*|-p \d+:\d+(\/(tcp|udp))?)$/);
const observedEnvKey = z.union([envKey, z.string().regex(/^-[hvn]( \S+)?$/)]);
const MOST_PORTS = 64;
const MOST_PORTS_WORDS = `env maps more than ${MOST_PORTS} ports`;
const imageLogin = z.string().regex(IMAGE_LOGIN);

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
  env: z
    .record(envKey, z.string())
    .refine(hasFewPorts, { error: MOST_PORTS_WORDS })
    .refine(hasOnes, { error: "the value of a port mapping must be 1" })
    .optional(),
  onstart: z.string().max(4048).optional(),
  args_str: z.string().optional(),
  use_jupyter_lab: z.boolean().optional(),
  jupyter_dir: z.string().optional(),
  python_utf8: z.boolean().optional(),
  lang_utf8: z.boolean().optional(),
  image_login: imageLogin.optional(),
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
  env: z
    .record(observedEnvKey, z.string())
    .refine((env) => JSON.stringify(env).length <= 32_768, { error: "env is longer than 32768 characters" })
    .refine(hasFewPorts, { error: MOST_PORTS_WORDS })
    .refine(hasOnes, { error: "the value of a port mapping must be 1" })
    .optional(),
  client_id: z.literal("me").optional(),
  extra: z.string().optional(),
  force: z.boolean().optional(),
  user: z.string().optional(),
  args: z.array(z.string()).optional(),
  volume_info: ObservedVolumeInfo.optional(),
});

/** Seed, Create rule 4. */
function hasOnes(env: Record<string, string>): boolean {
  return Object.entries(env).every(([key, value]) => !key.startsWith("-p ") || value === "1");
}

function hasFewPorts(env: Record<string, string>): boolean {
  return Object.keys(env).filter((key) => key.startsWith("-p ")).length <= MOST_PORTS;
}

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
export function readCreateBody(
  body: Readonly<Record<string, unknown>>,
  dialect: Dialect,
  templates: readonly Template[] = [],
): CreateRequest {
  // The official client sends null for what was not given; the seed shows no null.
  const given = dialect === "observed" ? withoutNulls(body) : body;
  if ("template_id" in given) throw invalid("template_id is not valid here; use template_hash_id");
  const parsed = dialect === "seed" ? SeedBody.safeParse(given) : ObservedBody.safeParse(given);
  if (!parsed.success) throw invalid(sentences(parsed.error), codeOf(parsed.error));
  const hash = parsed.data.template_hash_id;
  const template = hash === undefined ? null : findTemplate(hash, templates, dialect);
  const order = orderOf(template ? merge(parsed.data, template) : parsed.data, template);
  return { order, cancelUnavail: parsed.data.cancel_unavail ?? defaultCancelUnavail(order, dialect) };
}

type Fields = z.infer<typeof SeedBody> & { args?: string[] | undefined; volume_info?: VolumeInfo | undefined };

/** Seed, Create rules 2 and 3: what the request says wins; of `env` name by name. */
function merge(fields: Fields, template: Template): Fields {
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  const defaults = templateDefaults(template);
  return { ...defaults, ...given, env: { ...defaults.env, ...fields.env } };
}

function orderOf(fields: Fields, template: Template | null): InstanceOrder {
  const { image, label = null, disk = 8, env = {}, onstart = "", price = null, target_state = "running" } = fields;
  if (image === undefined) throw invalid("image or template_hash_id is required");
  const args = fields.args ?? [];
  const runtype = fields.runtype ?? (args.length > 0 || fields.args_str !== undefined ? "args" : "ssh");
  const { image_login: imageLogin = null } = fields;
  const order = { image, label, disk, runtype, env, onstart, args, price, targetState: target_state };
  return { ...order, ...lessUsual(fields), imageLogin, template };
}

function lessUsual(fields: Fields) {
  return {
    argsStr: fields.args_str ?? null,
    jupyter: { lab: fields.use_jupyter_lab ?? false, dir: fields.jupyter_dir ?? null },
    locale: { pythonUtf8: fields.python_utf8 ?? false, langUtf8: fields.lang_utf8 ?? false },
    vm: fields.vm ?? false,
    volumeInfo: fields.volume_info ?? null,
  };
}

/** Observed: true on demand with target running, else false. SPEC-SILENT: in the seed; false. */
function defaultCancelUnavail({ price, targetState }: InstanceOrder, dialect: Dialect): boolean {
  return dialect === "observed" && price === null && targetState === "running";
}

function withoutNulls(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}

function sentences(error: z.ZodError): string {
  // Only names and reasons: values may be secrets.
  return error.issues.map(({ path, message }) => [path.join("."), message].filter(Boolean).join(": ")).join("; ");
}

/** The description has a code of its own for a price that can't be. */
function codeOf({ issues }: z.ZodError): string {
  return issues.every(({ path }) => path[0] === "price") ? "invalid_price" : "invalid_args";
}

function invalid(msg: string, error = "invalid_args"): Refusal {
  return new Refusal(400, { error, msg });
}
