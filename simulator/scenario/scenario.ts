import { z } from "zod";
import { Fault, PERMISSIONS } from "./fault.ts";
import { Simulate, StatusSteps } from "./simulate.ts";

const price = z.number().min(0);
const count = z.int().min(0);
const fraction = z.number().min(0).max(1);

/**
 * An offer as the market stores it, by default a plain RTX 4090; what has no default here follows from
 * the id, the machine, the GPUs or the price (`completeOffer`). All that follows from these and the time
 * (dph_total, rented, duration as it shrinks, aliases) is computed for each answer. Prices are USD,
 * `storage_cost` is USD per GB and month of 720 h.
 */
export const MarketOffer = z.strictObject({
  id: z.int().positive(),
  machine_id: z.int().positive(),
  host_id: z.int().positive(),
  num_gpus: z.int().positive().default(1),
  gpu_name: z.string().min(1).default("RTX 4090"),
  gpu_ram: count.default(24_564),
  gpu_frac: fraction.default(1),
  gpu_arch: z.string().default("nvidia"),
  compute_cap: count.default(890),
  cuda_max_good: z.number().default(12.8),
  driver_version: z.string().default("570.86.15"),
  cpu_arch: z.string().default("amd64"),
  cpu_cores: count.default(32),
  cpu_cores_effective: z.number().min(0).default(16),
  cpu_ram: count.default(128_700),
  disk_space: z.number().min(0).default(420),
  disk_bw: z.number().min(0).default(3_100),
  dlperf: z.number().min(0),
  /** USD per hour for the GPUs of the whole offer, on demand. */
  dph_base: price.default(0.4),
  min_bid: price,
  storage_cost: price.default(0.15),
  inet_up: z.number().min(0).default(620),
  inet_down: z.number().min(0).default(840),
  inet_up_cost: price.default(0.003),
  inet_down_cost: price.default(0.002),
  direct_port_count: count.default(49),
  public_ipaddr: z.string(),
  static_ip: z.boolean().default(true),
  geolocation: z.string().default("Sweden, SE"),
  reliability: fraction.default(0.9931),
  verification: z.enum(["verified", "unverified", "deverified"]).default("verified"),
  hosting_type: z.union([z.literal(0), z.literal(1)]).default(0),
  /** False: the host has it off the market. A rented offer is not rentable whatever this says. */
  rentable: z.boolean().default(true),
  external: z.boolean().default(false),
  /** Seconds that the offer lasts from the start of the simulator. */
  duration: z
    .number()
    .min(0)
    .default(30 * 86_400),
  score: z.number(),
});

/** One offer as the market stores it. */
export type MarketOffer = z.infer<typeof MarketOffer>;

/** A request's fault, always or for the first `times` requests. */
const RegistryFault = z.strictObject({
  /** Default manifest. `config`: an image's configuration. */
  on: z.enum(["manifest", "token", "config"]).default("manifest"),
  kind: z.enum([
    /** The connection stays open without an answer. */
    "never-answer",
    /** The connection is destroyed. */
    "cut",
    /** This status, without a body that anybody could read. */
    "status",
    /** A page of somebody in between: 200, HTML. */
    "wrong-type",
    /** The right type, and no JSON. */
    "junk",
    /** JSON of the right type that is no manifest and no token. */
    "nonsense",
    /** More than a megabyte. */
    "endless",
    /** A right answer whose end never comes. */
    "never-end",
    /** JSON whose objects are nested a thousand deep. */
    "deep",
    /** Elsewhere on this computer, where an answer would be had. */
    "redirect",
  ]),
  status: z.int().min(300).max(599).default(500),
});

/** The registry of one simulated world; everything has a default. */
export const RegistryScenario = z.strictObject({
  /** Compressed bytes by the image's name, without registry and tag. */
  images: z.record(z.string(), z.int().positive()).default({}),
  /** Images that it does not have, and how many questions later it does. */
  missing: z.record(z.string(), z.int().positive()).default({}),
  /** `index`: a tag stands for several platforms (default). `manifest`: for one image. */
  form: z.enum(["index", "manifest"]).default("index"),
  /** The platforms of an index. */
  platforms: z.array(z.string()).default(["linux/arm64", "linux/amd64", "unknown/unknown"]),
  /** The platform in the configuration of an image without an index; any JSON may be one. */
  configuration: z.unknown().default({ os: "linux", architecture: "amd64" }),
  /** Where its blobs are: here, or at an address to which it redirects and which wants no authorization. */
  blobs: z.enum(["here", "elsewhere"]).default("here"),
  /** Who may pull; anybody by default. */
  login: z.strictObject({ username: z.string(), token: z.string() }).optional(),
  /** How it asks who is there: by a token (default), or by the login itself. */
  asks: z.enum(["token", "login"]).default("token"),
  /** The address for tokens that it names, instead of its own. */
  realm: z.string().optional(),
  fault: RegistryFault.optional(),
});

/** A registry as tests and scenario files write it. */
export type RegistryScenario = z.input<typeof RegistryScenario>;

/** The same with its defaults filled in. */
export type CompleteRegistry = z.output<typeof RegistryScenario>;

/** The user id of the account, which owns its team. */
export const ACCOUNT_ID = 50_210;

const SSH_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEexampleExampleExampleExampleExampleExampleEx ci@example.com";

/** A template's content, as it is created and edited; its hash is derived from this. */
export const TemplateContent = z.strictObject({
  name: z.string().default("a template"),
  /** Without its tag. */
  image: z.string().min(1),
  tag: z.string().default("latest"),
  desc: z.string().default(""),
  readme: z.string().default(""),
  readme_visible: z.boolean().default(true),
  /** Docker's flags: `-e NAME=value -p 8000:8000`. */
  env: z.string().default(""),
  onstart: z.string().default(""),
  runtype: z.enum(["ssh", "jupyter", "args"]).default("args"),
  args_str: z.string().default(""),
  ssh_direct: z.boolean().default(false),
  use_ssh: z.boolean().default(false),
  jup_direct: z.boolean().default(false),
  jupyter_dir: z.string().nullable().default(null),
  use_jupyter_lab: z.boolean().default(false),
  docker_login_repo: z.string().default(""),
  docker_login_user: z.string().default(""),
  docker_login_pass: z.string().default(""),
  href: z.string().default(""),
  repo: z.string().default(""),
  /** Filters of a search; the service was seen to give them as an object or as JSON in a text. */
  extra_filters: z.union([z.record(z.string(), z.unknown()), z.string()]).default({}),
  recommended_disk_space: z.number().default(8),
  private: z.boolean().default(true),
  /** For the console alone: it makes no volume. */
  volume_info: z.looseObject({}).nullable().default(null),
});

/** A template's content. */
export type TemplateContent = z.output<typeof TemplateContent>;

/** A stored bundle of default settings; times in seconds since the epoch. */
export const Template = TemplateContent.extend({
  id: z.int().positive(),
  hash_id: z.string().min(1),
  creator_id: z.int().default(ACCOUNT_ID),
  created_at: z.number().default(0),
  count_created: z.int().default(0),
  default_tag: z.string().nullable().default(null),
  recent_create_date: z.number().nullable().default(null),
  recommended: z.boolean().default(false),
});

/** A stored bundle of default settings. */
export type Template = z.output<typeof Template>;

/** Room for volumes on a machine, as shown: GB, and USD per GB and month of 720 h. */
export const VolumeOffer = z.strictObject({
  id: z.int().positive(),
  machine_id: z.int().positive(),
  disk_space: z.number().positive().default(200),
  storage_cost: price.default(0.15),
});

/** Room for volumes on a machine. */
export type VolumeOffer = z.output<typeof VolumeOffer>;

/** A volume that the account has from the start. */
export const GivenVolume = VolumeOffer.extend({
  disk_space: z.number().positive().default(50),
  name: z.string().nullable().default(null),
});

/** One simulated world: JSON; everything has a default, and an unknown key is refused. */
export const Scenario = z.strictObject({
  /** The point of it, for people. */
  about: z.string().optional(),
  /** The market instead of the default one; fields left out are those of a plain RTX 4090. */
  offers: z.array(MarketOffer.partial().required({ id: true }).extend({ simulate: Simulate.optional() })).optional(),
  faults: z.array(Fault).default([]),
  /** The account's full-access key; random by default. */
  apiKey: z.string().min(1).optional(),
  /** More keys of the account, restricted to these permissions. */
  keys: z
    .array(
      z.strictObject({
        key: z.string().min(1),
        scopes: z.array(z.enum(PERMISSIONS)),
        /** The member of the team who has it. */
        member: z.int().optional(),
      }),
    )
    .default([]),
  /** The status for a scoped key that lacks a permission. */
  missingPermissionStatus: z.union([z.literal(401), z.literal(403)]).default(403),
  /** The members of the account's team beside its owner. */
  team: z
    .array(z.strictObject({ id: z.int().positive(), email: z.string().default("member@example.com") }))
    .default([]),
  user: z
    .strictObject({
      /** USD before anything is billed: enough for any test, little enough that a leak over a weekend would show. */
      credit: z.number().default(25),
      ssh_key: z.string().nullable().default(SSH_KEY),
      /** Every key of the account is refused with 403. */
      blacklisted: z.boolean().default(false),
      email_verified: z.boolean().default(true),
      /** Names of the account's own variables, which every machine gets. */
      variables: z.array(z.string()).default([]),
    })
    .prefault({}),
  /** Rate limits on; a word names the form of their 429 (true: as the dialect has it). */
  limits: z.union([z.boolean(), z.enum(["text", "json", "detail"])]).default(false),
  /** List and get show any new instance only after so many seconds. */
  visibilityLagSeconds: z.number().min(0).default(0),
  /** The boot of instances whose offer says nothing about it. */
  statuses: StatusSteps.optional(),
  /** The templates that there are. */
  templates: z.array(Template).default([]),
  /** Room for volumes; by default some on every machine of the market. */
  volumeOffers: z.array(VolumeOffer).optional(),
  /** The volumes that the account has from the start. */
  volumes: z.array(GivenVolume).default([]),
  /** Images of these registries, with their port or without for every port, are pulled only with this login. */
  imageLogins: z.array(z.strictObject({ registry: z.string(), username: z.string(), token: z.string() })).default([]),
  /** The stand-in for the image's registry; the service knows nothing of it. */
  registry: RegistryScenario.optional(),
});

/** A scenario as tests and files write it. */
export type Scenario = z.input<typeof Scenario>;

/** A scenario with its defaults filled in. */
export type CompleteScenario = z.output<typeof Scenario>;
