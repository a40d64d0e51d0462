import { expect, test } from "vitest";
import { capabilitiesOf, lacksCode } from "../../../src/offers/compiled-code.ts";

const NEEDS = (cuda: string) => `for which an image needs CUDA ${cuda} or newer`;
const BELOW = (cuda: string) => `for which an image needs CUDA below ${cuda}`;

test.each([
  // The cheapest RTX 5090 for an image of CUDA 12.1, and the cheapest V100 for one of CUDA 13.
  [12.1, 12, NEEDS("12.8")],
  [13, 7, BELOW("13.0")],
  // By code for 8.6 and 8.0.
  [11.7, 8.9, undefined],
  [11, 8.6, undefined],
  [10.2, 8, NEEDS("11.0")],
  [9, 7.5, undefined],
  [8, 7, NEEDS("9.0")],
  [11.7, 9, NEEDS("11.8")],
  [11.8, 9, undefined],
  [12.6, 10, NEEDS("12.8")],
  [12.8, 10.3, undefined],
  [12.8, 12.1, undefined],
  [12.9, 11, NEEDS("13.0")],
  [13, 11, undefined],
  [13.3, 7.5, undefined],
  [12, 5.2, undefined],
  [12, 3.7, BELOW("12.0")],
  [11.8, 3.5, undefined],
  // A GPU that nobody knows yet came after the newest that is known.
  [12.1, 14, NEEDS("12.8")],
  [13, 14, undefined],
])("a GPU is too new for a CUDA, too old, or served: CUDA %d, compute capability %d: %s", (cuda, capability, why) => {
  expect(lacksCode(cuda, capability)).toBe(why);
});

test.each([
  [8, 0, 7],
  [11.8, 0, 10],
  [12.1, 5, 10],
  [12.8, 5, undefined],
  [13, 7.5, undefined],
])("CUDA %d: no GPU below %d or from %s on is asked for", (cuda, least, below) => {
  expect(capabilitiesOf(cuda)).toEqual({ least, below });
});

test("what is not asked for has no code", () => {
  for (let cuda = 80; cuda <= 140; cuda += 1)
    for (let capability = 30; capability <= 140; capability += 1) {
      const { least, below = 99 } = capabilitiesOf(cuda / 10);
      if (capability / 10 < least || capability / 10 >= below)
        expect(lacksCode(cuda / 10, capability / 10)).toBeDefined();
    }
});
