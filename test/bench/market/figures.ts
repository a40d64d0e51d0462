import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Row } from "./row.ts";
import { type Sample, STUDIES } from "./studies.ts";

export const FIGURES = fileURLToPath(new URL("figures.json", import.meta.url));

/** The last bench whose figures the docs quote. */
export interface Recorded {
  trials: number;
  seeds: number[];
  rows: Row[];
  /** A few trials of each study, exactly as they came out: other rules come out in another way. */
  replayed: Sample[];
}

export function readFigures(): Recorded {
  return JSON.parse(readFileSync(FIGURES, "utf8")) as Recorded;
}

/** Plays the few trials again: some 7 s, and the same on every computer. */
export async function replayed(): Promise<Sample[]> {
  const samples: Sample[] = [];
  for (const study of STUDIES) samples.push(await study.run({ trials: 8, seed: 1 }));
  return samples.map((sample) => JSON.parse(JSON.stringify(sample)) as Sample);
}
