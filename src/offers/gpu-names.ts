import { editDistance } from "../shared/text.ts";

/**
 * A card reports less than its nominal memory: an A40 7.2% less, for its error correction. The next smaller card (11 of
 * 12 GB) has 8.3% less. So 8% less counts as nominal.
 */
const REPORTED_SHARE = 0.92;

/** Computes the least `gpu_ram`, in MB of 2^20 bytes, that a card of a nominal size reports. */
export function leastGpuRamMb(nominalGb: number): number {
  return Math.floor(nominalGb * 1024 * REPORTED_SHARE);
}

/** True for two spellings of one name: case, blanks, hyphens and underscores don't count. */
export function sameName(left: string, right: string): boolean {
  return fold(left) === fold(right);
}

function fold(name: string): string {
  return name.replace(/[\s_-]/g, "").toLowerCase();
}

/** The service's names of GPUs, as its pages list them in 2026; searches add those they show. */
const KNOWN =
  `RTX 5090, RTX 5080, RTX 5070 Ti, RTX 5070, RTX 5060 Ti, RTX 5060, RTX 4090, RTX 4090D, RTX 4080S, RTX 4080, RTX 4070S Ti,
RTX 4070 Ti, RTX 4070S, RTX 4070, RTX 4060 Ti, RTX 4060, RTX 3090 Ti, RTX 3090, RTX 3080 Ti, RTX 3080, RTX 3070 Ti, RTX 3070, RTX 3060 Ti,
RTX 3060, RTX 2080 Ti, RTX 2080, RTX 2070, RTX 2060, GTX 1080 Ti, GTX 1080, GTX 1070, RTX A6000, RTX A5000, RTX A4000, RTX A2000,
RTX 6000Ada, RTX 5000Ada, RTX 4000Ada, RTX PRO 6000 WS, RTX PRO 6000 S, A100 SXM4, A100 PCIE, A100X, H100 SXM, H100 PCIE, H100 NVL, H200,
H200 NVL, B200, L4, L40, L40S, A10, A16, A30, A40, Tesla T4, Tesla V100, Tesla P100, Titan RTX, Titan V, Q RTX 8000, Q RTX 6000`
    .split(/,\s+/)
    .map((name) => name.trim());

const MOST_NEAR_NAMES = 3;
/** How many typing mistakes a name may have and still be recognised. */
const MOST_NAME_SLIPS = 1;

/** Spells names as the service does, letter by letter. The written form stays: our list may be out of date. */
export function askedNames(names: readonly string[]): string[] {
  const spelled = names.flatMap((name) => [name.replaceAll("_", " "), ...KNOWN.filter((each) => sameName(each, name))]);
  return [...new Set(spelled)];
}

/** Lists the GPU names that contain a bare number such as `4090` as a word; none for any other text. */
export function namesOfNumber(written: string): string[] {
  return /^\d+$/.test(written) ? KNOWN.filter((name) => name.split(" ").includes(written)) : [];
}

/** Lists the names that the writer of an unknown name may have meant, nearest first. */
export function nearestNames(written: string, shown: readonly string[]): string[] {
  const meant = fold(written);
  const names = [...new Set([...KNOWN, ...shown])];
  const found = [
    ...names.filter((name) => fold(name) === meant),
    ...names.filter((name) => fold(name).includes(meant) || meant.includes(fold(name))),
    ...names.filter((name) => editDistance(fold(name), meant) <= MOST_NAME_SLIPS),
  ];
  return [...new Set(found)].slice(0, fold(found[0] ?? "") === meant ? 1 : MOST_NEAR_NAMES);
}
