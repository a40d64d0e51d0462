import type { ResolvedInputs } from "./template-of-inputs.ts";

/** The image as it is sent: the service fails on one without tag or digest, so `:latest` is said aloud. None stays none. */
export function fullImage(image: string): string {
  return image === "" || /@sha256:|:[^/]+$/.test(image) ? image : `${image}:latest`;
}

/** The image that the machine will run, as far as it is known: the input's, else the template's; empty when neither is. */
export function knownImage({ image, template }: Readonly<Pick<ResolvedInputs, "image" | "template">>): string {
  return image || template?.image || "";
}
