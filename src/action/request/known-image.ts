import type { ResolvedInputs } from "./template-of-inputs.ts";

/** The image as sent: without tag or digest the service fails, so `:latest` is added. */
export function fullImage(image: string): string {
  return image === "" || /@sha256:|:[^/]+$/.test(image) ? image : `${image}:latest`;
}

/** The image that the machine will run: the input's, else the template's; empty when unknown. */
export function knownImage({ image, template }: Readonly<Pick<ResolvedInputs, "image" | "template">>): string {
  return image || template?.image || "";
}
