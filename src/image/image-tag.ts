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

/** The CUDA versions that an image's name leaves open: one, or all of a major version that stands alone, as in `cuda12`. */
interface CudaRange {
  least: number;
  most: number;
}

/** Reads the CUDA that an image's tag names, else the last part of its name; undefined if neither names one. */
export function cudaOfImage(image: string): CudaRange | undefined {
  const [tag, last] = [tagOf(image), lastPartOf(image)];
  const leading = NAMED_CUDA.test(last) ? versionOf(LEADING.exec(tag)) : undefined;
  return readCuda(tag, leading) ?? readCuda(/[^/]*$/.exec(last)?.[0] ?? "");
}

function readCuda(text: string, otherwise?: number): CudaRange | undefined {
  const version = versionOf(WITH_DOT.exec(text)) ?? otherwise;
  if (version !== undefined) return { least: version, most: version };
  const digits = DIGITS.exec(text)?.[1];
  return digits === undefined ? undefined : ofDigits(digits);
}

function versionOf(found: RegExpExecArray | null): number | undefined {
  return found ? Number(`${found[1]}.${found[2]}`) : undefined;
}

/** Reads a version without its dot: 124 is 12.4, 1241 too, and 92 is 9.2, but 12 is any 12. */
function ofDigits(digits: string): CudaRange {
  if (digits.length === 4) return ofDigits(digits.slice(0, 3));
  if (digits.length === 2 && Number(digits) < 20) return { least: Number(digits), most: Number(`${digits}.9`) };
  const version = Number(`${digits.slice(0, -1)}.${digits.slice(-1)}`);
  return { least: version, most: version };
}

/** True when name or tag say Alpine: its C library is musl, and GitHub's runner needs glibc. */
export function isAlpineImage(image: string): boolean {
  return /(?:^|\/)alpine$/i.test(lastPartOf(image)) || /(?:^|[^a-z])alpine(?:[^a-z]|$)/i.test(tagOf(image));
}

/** True when the tag says devel: compilers and headers make such images several times as big. */
export function isDevelImage(image: string): boolean {
  return /(?:^|[-_.])devel(?:[-_.]|$)/i.test(tagOf(image));
}
