// Which GPUs an image's compiled code runs on. Code runs on its own major version of compute capability, with the same
// or a higher minor version (NVIDIA's Ampere, Ada, Hopper and Blackwell compatibility guides, "Application
// Compatibility"). So the first CUDA for a major version's lowest GPU serves the others: 11.7 an RTX 4090 (8.9) by its 8.6.

/** The CUDA that first compiles for a major version of compute capability, by the same guides; Thor (11) by the release notes of 13.0. */
const FIRST_CUDA: Readonly<Record<number, number>> = { 7: 9, 8: 11, 9: 11.8, 10: 12.8, 11: 13, 12: 12.8 };
/** The lowest that a major version of CUDA compiles for; release notes of 12.0 and 13.0, "Deprecated or Dropped Features". */
const LEAST_CAPABILITY: Readonly<Record<number, number>> = { 12: 5, 13: 7.5 };
/** What comes after these is taken to need, and to leave out, no less. */
const NEWEST = { cuda: 13, capability: 12 };

/** Says what an image needs for a GPU if this CUDA has no code for it; undefined if it has, or nobody says. */
export function lacksCode(cuda: number, capability: number): string | undefined {
  const first = FIRST_CUDA[Math.min(Math.trunc(capability), NEWEST.capability)] ?? 0;
  const major = Math.min(Math.trunc(cuda), NEWEST.cuda);
  if (cuda < first) return `for which an image needs CUDA ${first.toFixed(1)} or newer`;
  return capability < (LEAST_CAPABILITY[major] ?? 0) ? `for which an image needs CUDA below ${major}.0` : undefined;
}

/** Returns the compute capabilities between which all GPUs lie that this CUDA has code for; `below`: none from it on. */
export function capabilitiesOf(cuda: number): { least: number; below: number | undefined } {
  let below = NEWEST.capability + 1;
  while (cuda < (FIRST_CUDA[below - 1] ?? 0)) below -= 1;
  const least = LEAST_CAPABILITY[Math.min(Math.trunc(cuda), NEWEST.cuda)] ?? 0;
  return { least, below: below > NEWEST.capability ? undefined : below };
}
