/** Where an image is stored. */
export interface ImagePlace {
  /** As people write it, with its port: `docker.io`, `ghcr.io`, `127.0.0.1:5000`. */
  registry: string;
  /** With `library/` in front of Docker Hub's official ones. */
  repository: string;
  /** A tag or a digest, or AUTOMATIC_TAG. */
  reference: string;
}

const DOCKER_HUB = "docker.io";

/** Docker Hub goes by several names; logins use them all. */
const DOCKER_HUB_NAMES = new Set([DOCKER_HUB, "index.docker.io", "registry-1.docker.io"]);

/** In place of a tag it lets the service pick one by the host, as its own templates do. */
export const AUTOMATIC_TAG = "@vastai-automatic-tag";

const IMAGE =
  /^(?<name>[^@]+?)(?::(?<tag>@vastai-automatic-tag|[A-Za-z0-9_][A-Za-z0-9._-]{0,127}))?(?:@(?<digest>sha256:[0-9a-f]{64}))?$/;

/** OCI distribution specification, "Pulling manifests"; the 255 characters are Docker's. */
const REPOSITORY = /^(?=.{1,255}$)[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*$/;

/** Reads an image's name; undefined for one that no registry can have. */
export function readImageName(image: string): ImagePlace | undefined {
  const { name = "", tag = "latest", digest } = IMAGE.exec(image)?.groups ?? {};
  const [first = "", ...others] = name.split("/");
  const hasRegistry = others.length > 0 && (/[.:]/.test(first) || first === "localhost");
  const registry = hasRegistry ? registryOf(first) : DOCKER_HUB;
  const path = hasRegistry ? others.join("/") : name;
  const repository = registry === DOCKER_HUB && !path.includes("/") ? `library/${path}` : path;
  if (!isHost(registry) || !REPOSITORY.test(repository)) return undefined;
  return { registry, repository, reference: digest ?? tag };
}

/** Says what is wrong with an image's name, and what may be meant; undefined for one that a registry can have. */
export function faultOfName(image: string): string | undefined {
  if (readImageName(image) !== undefined) return undefined;
  const [, scheme] = /^([a-z]+:\/\/)/i.exec(image) ?? [];
  if (scheme !== undefined) return `begins with ${scheme}, leave it out`;
  const small = image.replace(/^(?:[^/]*\/)*[^/:@]*/, (name) => name.toLowerCase());
  if (small !== image && readImageName(small) !== undefined)
    return `has capitals, and registries allow small letters alone: \`${small}\``;
  return /:(?:@sha256:|$)/.test(image) ? "has an empty tag (is a variable unset?)" : "";
}

/** True for a host that a URL keeps as written: `0.` would become 0.0.0.0, and get the login. */
function isHost(registry: string): boolean {
  const isPlain = /^(?=.{1,255}$)[a-z0-9]+(?:(?:\.|-+)[a-z0-9]+)*(?::\d{1,5})?$/.test(registry);
  const url = `https://${registry}`;
  return isPlain && URL.canParse(url) && new URL(url).hostname === registry.replace(/:\d+$/, "");
}

/** Reads the registry of a login or an image: by any of its names, without a path. */
export function registryOf(text: string): string {
  const host = text.replace(/\/.*$/, "").toLowerCase();
  return DOCKER_HUB_NAMES.has(host) ? DOCKER_HUB : host;
}

/** Returns the host that answers for a registry. */
export function hostOf(registry: string): string {
  return registry === DOCKER_HUB ? "registry-1.docker.io" : registry;
}

/** A login to a registry. The token is a secret. */
export interface Login {
  registry: string;
  username: string;
  token: string;
}

/** Reads `-u USER -p TOKEN REGISTRY`; undefined for anything else. */
export function readLogin(text: string): Login | undefined {
  const [, username = "", token = "", registry] = /^-u (\S+) -p (\S+) (\S+)$/.exec(text) ?? [];
  return registry === undefined ? undefined : { registry: registryOf(registry), username, token };
}

/** Adds `:latest` to an image without tag or digest, on which the service fails. */
export function fullImage(image: string): string {
  return image === "" || /@sha256:|:[^/]+$/.test(image) ? image : `${image}:latest`;
}
