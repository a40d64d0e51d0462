function tagOf(image: string): string {
  return /:([^/@]+)(?:@|$)/.exec(image)?.[1] ?? "";
}

function lastPartOf(image: string): string {
  return image.replace(/@.*$/, "").replace(/:[^/]*$/, "");
}

/** `cuda12.8`, `cuda-12.4.1`, `cu12.4`: major and minor with a dot. */
const WITH_DOT = /(?:^|[^a-z])cu(?:da)?[-_]?(\d{1,2})\.(\d)/i;
/** `cu124`, `cu92`, `cuda12`, `cu1281` for 12.8.1: digits alone. */
const DIGITS = /(?:^|[^a-z])cu(?:da)?[-_]?(\d{2,3}|1\d{3})(?!\d)/i;
/** `12.4.1-…`: the version of what the image is named after; counts only where that is CUDA. */
const LEADING = /^(\d|1\d)\.(\d)/;
/** `nvidia/cuda`, and not an image that is about CUDA, whose versions are its own. */
const NAMED_CUDA = /(?:^|\/)cuda(?:gl)?$/i;

/** Reads the CUDA version that an image's tag names, such as 12.8; undefined if it names none. */
export function cudaOfImage(image: string): number | undefined {
  const tag = tagOf(image);
  const dotted = WITH_DOT.exec(tag) ?? (NAMED_CUDA.test(lastPartOf(image)) ? LEADING.exec(tag) : null);
  if (dotted) return Number(`${dotted[1]}.${dotted[2]}`);
  const digits = DIGITS.exec(tag)?.[1];
  return digits === undefined ? undefined : ofDigits(digits);
}

/** Reads a version without its dot: 124 is 12.4, 1241 too, and 92 is 9.2, but 12 is 12.0. */
function ofDigits(digits: string): number {
  if (digits.length === 4) return ofDigits(digits.slice(0, 3));
  const isMajor = digits.length === 2 && Number(digits) < 20;
  return isMajor ? Number(digits) : Number(`${digits.slice(0, -1)}.${digits.slice(-1)}`);
}

/** True when name or tag say Alpine: its C library is musl, and GitHub's runner needs glibc. */
export function isAlpineImage(image: string): boolean {
  return /(?:^|\/)alpine$/i.test(lastPartOf(image)) || /(?:^|[^a-z])alpine(?:[^a-z]|$)/i.test(tagOf(image));
}

/** True when the tag says devel: compilers and headers make such images several times as big. */
export function isDevelImage(image: string): boolean {
  return /(?:^|[-_.])devel(?:[-_.]|$)/i.test(tagOf(image));
}
