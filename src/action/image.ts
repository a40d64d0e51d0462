import { fullImage, readImageName, readLogin } from "../image/image-name.ts";
import { askImage, type ImageAnswer } from "../image/image-size.ts";
import type { Session } from "../release/session.ts";
import { readProxy } from "../shared/proxy.ts";
import { maskSecret } from "./platform.ts";
import type { ResolvedInputs } from "./template.ts";

/** Returns the image that machines will run, as sent: the input's, else the template's; empty if not known. */
export function imageOf({ image, template }: Pick<ResolvedInputs, "image" | "template">): string {
  return fullImage(image) || template?.image || "";
}

/** A question to the image's registry that is under way. Disposing of it aborts it. */
export type AskedImage = ReturnType<typeof askForImage>;

/** Begins to ask the image's registry. The answer comes while everything else is checked. */
export function askForImage(
  { log }: Pick<Session, "log">,
  inputs: Readonly<Pick<ResolvedInputs, "image" | "imageLogin" | "template">>,
  signal: AbortSignal,
) {
  const givenUp = new AbortController();
  const image = imageOf(inputs);
  const options = { log, login: inputs.imageLogin, mask: maskSecret, proxy: readProxy(process.env) };
  const again = async (stop: AbortSignal): Promise<ImageAnswer> =>
    image === "" ? { kind: "unknown" } : await askImage(image, { ...options, signal: stop });
  const asked = again(AbortSignal.any([signal, givenUp.signal]));
  return {
    answer: () => asked,
    /** Asks once more: a job of the run may have built the image since. */
    again,
    async [Symbol.asyncDispose]() {
      givenUp.abort();
      await asked;
    },
  };
}

const MISSING =
  "Check the image's name and tag. If a job of the run builds the image, a check can't find it before that job is over.";

/** Says what is wrong with the image by its registry; undefined: nothing is known. `isCertain`: it fails a check. */
export function faultOfImage(
  inputs: Readonly<Pick<ResolvedInputs, "image" | "imageLogin" | "template" | "templateHashId">>,
  answer: ImageAnswer,
): { isCertain: boolean; says: string; hint: string } | undefined {
  const image = imageOf(inputs);
  const fault = (says: string, hint: string, isCertain = true) => ({ isCertain, says, hint });
  if (answer.kind === "missing") {
    const only = `${image} has no image for linux/amd64, ${answer.word}: build it with \`--platform linux/amd64\``;
    const isOther = answer.word.startsWith("only for ");
    return fault(isOther ? only : `its registry has no ${image}, and says ${answer.word}`, MISSING);
  }
  if (answer.kind !== "refused") return undefined;
  const said = `The registry of ${image} answered ${answer.status}`;
  if (readLogin(inputs.imageLogin)?.registry === readImageName(image)?.registry)
    return fault(
      `${said} to image-login: its user or token is wrong, or may not pull this image, or there is none of this name.`,
      "Check image-login, and that its token may read the package and has not expired.",
    );
  if (inputs.templateHashId !== "") return undefined;
  const says = `${said} without a login: the image is private, or there is none of this name.`;
  return fault(says, "Check the image's name. A private image needs image-login.", false);
}
