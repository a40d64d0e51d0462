import { z } from "zod";

/** Sent as Accept, or the registry answers in a form of 2015 that knows no sizes. */
export const MANIFEST_TYPES = [
  "application/vnd.oci.image.index.v1+json",
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
  "application/vnd.docker.distribution.manifest.v2+json",
] as const;

const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/);
const blob = z.looseObject({ digest, size: z.int().min(0) });

/** One image: its layers, compressed, and its configuration. */
const manifestSchema = z.looseObject({ layers: z.array(blob).min(1).max(1000), config: blob.optional() });

/** Several, one a platform. */
const indexSchema = z.looseObject({
  manifests: z
    .array(
      z.looseObject({
        digest,
        platform: z
          .looseObject({ os: z.string(), architecture: z.string(), variant: z.string().optional() })
          .optional()
          .catch(undefined),
      }),
    )
    .max(1000),
});

/** The token server may use either name, for the sake of old clients. */
const tokenSchema = z.union([
  z.looseObject({ token: z.string().min(1) }).transform(({ token }) => token),
  z.looseObject({ access_token: z.string().min(1) }).transform(({ access_token }) => access_token),
]);

/** A manifest's answer: a size in bytes, or the digest of the manifest that has it. */
export type ManifestAnswer =
  | { kind: "size"; bytes: number }
  | { kind: "index"; digest: string }
  | { kind: "unusable"; why: string };

/** Reads the answer to a question for a manifest. */
export function readManifest(json: unknown): ManifestAnswer {
  const index = indexSchema.safeParse(json).data;
  if (index) return choose(index.manifests);
  const manifest = manifestSchema.safeParse(json).data;
  return manifest ? sizeOf(manifest) : { kind: "unusable", why: "the answer is no manifest" };
}

/** Machines are linux/amd64; of its variants the plain one is what they pull. */
function choose(manifests: z.infer<typeof indexSchema>["manifests"]): ManifestAnswer {
  const fit = manifests.filter(({ platform }) => platform?.os === "linux" && platform.architecture === "amd64");
  const chosen = fit.find(({ platform }) => platform?.variant === undefined) ?? fit[0];
  if (chosen === undefined) return { kind: "unusable", why: "it has no image for linux/amd64" };
  return { kind: "index", digest: chosen.digest };
}

/** A layer that is listed twice is pulled once. */
function sizeOf({ layers, config }: z.infer<typeof manifestSchema>): ManifestAnswer {
  const blobs = new Map([...layers, ...(config ? [config] : [])].map((each) => [each.digest, each.size]));
  const bytes = [...blobs.values()].reduce((sum, size) => sum + size, 0);
  const isPlausible = bytes > 0 && Number.isSafeInteger(bytes);
  return isPlausible ? { kind: "size", bytes } : { kind: "unusable", why: "its sizes can't be right" };
}

/** Reads a token server's answer. */
export function readToken(json: unknown): string | undefined {
  const token = tokenSchema.safeParse(json).data;
  // It becomes a header: what can't stand in one is no token.
  return token !== undefined && /^[\x21-\x7e]+$/.test(token) ? token : undefined;
}
