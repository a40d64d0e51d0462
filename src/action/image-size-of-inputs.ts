import { askImageSize } from "../registry/image-size.ts";
import type { ServiceRoom } from "./clients.ts";
import { fullImage, knownImage } from "./known-image.ts";
import { readProxy } from "./proxy.ts";
import { maskSecret } from "./secrets.ts";
import type { ResolvedInputs } from "./template-of-inputs.ts";

/** The question for the image's size, on its way; disposing of it gives it up. */
export interface AskedSize extends AsyncDisposable {
  /** Compressed bytes; undefined where they are not known. */
  bytes(): Promise<number | undefined>;
}

/** Asks the image's registry beside all else that comes before renting: it takes no extra time. */
export function askForSize(
  { log }: Pick<ServiceRoom, "log">,
  inputs: Readonly<Pick<ResolvedInputs, "image" | "image-login" | "template">>,
  signal: AbortSignal,
): AskedSize {
  const givenUp = new AbortController();
  const image = fullImage(knownImage(inputs));
  const options = { log, login: inputs["image-login"], mask: maskSecret, proxy: readProxy() };
  const asked =
    image === ""
      ? Promise.resolve(undefined)
      : askImageSize(image, { ...options, signal: AbortSignal.any([signal, givenUp.signal]) });
  return {
    bytes: () => asked,
    async [Symbol.asyncDispose]() {
      givenUp.abort();
      await asked;
    },
  };
}
