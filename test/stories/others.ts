import { makeLabel } from "../../src/machine/label.ts";
import { PREFIX, RUNS } from "./names.ts";

/** An instance of no machine of this session. `swept`: by whom it may be destroyed. */
export interface Other {
  id: number;
  label: string | null;
  swept: "never" | "by any sweep" | "by another run's sweep";
}

const DAY_MS = 86_400_000;

/** In the account before: look-alikes whose labels differ by a hair, and one real leftover. */
export function othersIn(startMs: number): Other[] {
  const past = startMs - DAY_MS;
  const future = startMs + 30 * DAY_MS;
  const labels: [label: string | null, swept?: Other["swept"]][] = [
    [null],
    ["someone's own machine"],
    [makeLabel(`${PREFIX}g`, 1, past)],
    [makeLabel(`ghr1.1.${RUNS.ours}-1.zzzzzz`, 1, past), "by another run's sweep"],
    [makeLabel("ghr1.abcd1.2-1.abcdef", 1, past)],
    [makeLabel("ghr1.19.2-1.abcdef", 1, past)],
    [makeLabel(`ghr1.1.${RUNS.open}-1.abcdef`, 1, future)],
    [makeLabel(`ghr1.1.${RUNS.done}-1.abcdef`, 1, future), "by any sweep"],
  ];
  return labels.map(([label, swept = "never"], index) => ({ id: index + 1, label, swept }));
}
