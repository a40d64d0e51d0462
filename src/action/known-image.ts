/** The image as sent: without tag or digest the service fails, so `:latest` is added. */
export function fullImage(image: string): string {
  return image === "" || /@sha256:|:[^/]+$/.test(image) ? image : `${image}:latest`;
}

interface Known {
  readonly image: string;
  readonly template?: { readonly image?: string | undefined } | undefined;
}

/** The image that the machine will run: the input's, else the template's; empty when unknown. */
export function knownImage({ image, template }: Known): string {
  return image || template?.image || "";
}
