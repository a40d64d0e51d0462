import { z } from "zod";

/** A request's fault, always or for the first `times` requests. */
const RegistryFault = z.strictObject({
  /** Default manifest. */
  on: z.enum(["manifest", "token"]).default("manifest"),
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
