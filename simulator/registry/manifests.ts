import { createHash } from "node:crypto";
import type { CompleteRegistry } from "../scenario/scenario.ts";

/** Of an image of which nothing is said. */
const DEFAULT_BYTES = 3_200_000_000;
const CONFIG_BYTES = 7_000;
/** The type of an index. */
export const INDEX = "application/vnd.oci.image.index.v1+json";
const MANIFEST = "application/vnd.oci.image.manifest.v1+json";
/** Answered to those who ask for nothing newer: layers without sizes. */
const OF_2015 = "application/vnd.docker.distribution.manifest.v1+prettyjws";

/** The manifest behind a tag or a digest; undefined where there is none. */
export function findManifest(shop: CompleteRegistry, wanted: Record<"name" | "reference" | "accept", string>) {
  const { name, reference, accept } = wanted;
  const platform = shop.platforms.find((each) => digestOf(`${name} ${each}`) === reference);
  if (reference.startsWith("sha256:") && platform === undefined) return undefined;
  const isIndex = platform === undefined && shop.form === "index";
  if (!accept.includes(isIndex ? INDEX : MANIFEST)) return { type: OF_2015, body: { schemaVersion: 1, fsLayers: [] } };
  return isIndex ? indexOf(shop, name) : imageOf(shop, name, platform ?? "linux/amd64");
}

function indexOf({ platforms }: CompleteRegistry, name: string) {
  const manifests = platforms.map((platform) => {
    const [os, architecture, variant] = platform.split("/");
    const digest = digestOf(`${name} ${platform}`);
    return { mediaType: MANIFEST, digest, size: 1_234, platform: { os, architecture, ...(variant && { variant }) } };
  });
  return { type: INDEX, body: { schemaVersion: 2, mediaType: INDEX, manifests } };
}

/** The configuration of an image, padded to the size that its manifest names, behind a digest; undefined where there is none. */
export function findConfig(shop: CompleteRegistry, digest: string): string | undefined {
  const text = configText(shop);
  return digestOf(text) === digest ? text : undefined;
}

function configText({ configuration }: CompleteRegistry): string {
  return JSON.stringify(configuration).padEnd(CONFIG_BYTES);
}

/** Other platforms than linux/amd64 are of a quite different size, so that a mix-up shows. */
function imageOf(shop: CompleteRegistry, name: string, platform: string) {
  const { images } = shop;
  const bytes = platform.startsWith("linux/amd64") ? (images[name] ?? DEFAULT_BYTES) : 123_456;
  const half = Math.floor((bytes - CONFIG_BYTES) / 2);
  const layer = (which: string, size: number) => ({
    mediaType: "application/vnd.oci.image.layer.v1.tar+gzip",
    digest: digestOf(`${name} ${platform} ${which}`),
    size,
  });
  const first = layer("first", half);
  const configType = "application/vnd.oci.image.config.v1+json";
  const config = { mediaType: configType, digest: digestOf(configText(shop)), size: CONFIG_BYTES };
  // The first layer stands there twice, as an empty one often does: stored and sent once.
  const layers = [first, layer("second", bytes - CONFIG_BYTES - half), first];
  return { type: MANIFEST, body: { schemaVersion: 2, mediaType: MANIFEST, config, layers } };
}

function digestOf(text: string): string {
  return `sha256:${createHash("sha256").update(text).digest("hex")}`;
}
