import type { CompleteScenario } from "../../scenario/scenario.ts";
import { bootSteps, type StatusStep } from "../../scenario/simulate.ts";

/** Seed: a flag string of this form. */
export const IMAGE_LOGIN = /^-u (?<username>\S+) -p (?<token>\S+) (?<registry>\S+)$/;

/** Tells whether a host can pull an image with what came with the create. */
export function canPull(
  { image, image_login }: { image: string; image_login: string | null },
  logins: CompleteScenario["imageLogins"],
): boolean {
  const needed = logins.find(({ registry }) => isAt(registry, image));
  if (!needed) return true;
  const given = IMAGE_LOGIN.exec(image_login ?? "")?.groups;
  return given?.username === needed.username && given.token === needed.token && isAt(given.registry ?? "", image);
}

/** The boot of an image that can't be pulled: loading for ever, as seen; the seed has no words. */
export function deniedBoot(image: string): StatusStep[] {
  const status_msg = `Error response from daemon: Head "https://${registryOf(image)}/v2/": unauthorized: authentication required \n`;
  return bootSteps([2, "loading", status_msg]);
}

function isAt(registry: string, image: string): boolean {
  const own = registryOf(image);
  const host = registry.replace(/\/.*$/, "");
  return host === own || host === own.replace(/:\d+$/, "");
}

function registryOf(image: string): string {
  const [first = "", ...others] = image.split("/");
  return others.length > 0 && /[.:]|^localhost$/.test(first) ? first : "docker.io";
}
