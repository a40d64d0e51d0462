import { readLogin } from "../registry/get.ts";
import { readImageName } from "../registry/image-name.ts";
import { formatDuration } from "../shared/duration.ts";
import { limitsOf } from "./fleet-request.ts";
import type { InputValues } from "./input-schema.ts";
import { fullImage } from "./known-image.ts";

type Told = readonly [isOdd: boolean, line: string];

/** Lines on inputs that are no mistake, and yet do not do as they look. */
export function oddInputs(inputs: Readonly<InputValues>): string[] {
  const { hedge, hold, image, machines } = inputs;
  const full = fullImage(image);
  const { readyMs } = limitsOf(inputs);
  const searchMs = inputs["search-timeout"];
  const [ready, search] = [readyMs, searchMs].map(formatDuration);
  const [ofLogin, ofImage] = [readLogin(inputs["image-login"]), readImageName(image)].map((each) => each?.registry);
  const lines: Told[] = [
    [full !== image, `The image has neither tag nor digest; ${full} is used.`],
    [
      ofLogin !== undefined && image !== "" && ofLogin !== ofImage,
      // That of the login is not shown: who swaps it with the token would find that here.
      `image-login is for another registry than ${ofImage}, where the image is: it is pulled without a login.`,
    ],
    [
      hedge && hold && machines === 1,
      "hedge has no effect with machines: 1: no second machine is started for one that is late.",
    ],
    [
      searchMs > readyMs,
      `search-timeout (${search}) is more than ready-timeout (${ready}), which ends the search as well: to search for longer, raise both.`,
    ],
  ];
  return lines.flatMap(([isOdd, line]) => (isOdd ? [line] : []));
}
