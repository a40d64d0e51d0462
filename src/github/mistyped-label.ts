import { editDistance } from "../shared/text.ts";

/** The parts of our label: `gpu-RUN-ATTEMPT`, and `-NAME`, hyphen included, if the input `name` is given. */
type LabelParts = NonNullable<ReturnType<typeof partsOf>>;

const FIRST = "gpu-";
/** How many letters may be wrong in the word before the run id. */
const MOST_LABEL_SLIPS = 2;

/**
 * True for a label that is one step from ours: without the attempt, with another run's or attempt's
 * number, or at most two letters off before the run id. What begins with `gpu-RUN-ATTEMPT-` is
 * another session's. Labels compare whatever their case.
 */
export function isMistyped(label: string, runnerLabel: string): boolean {
  const [asked, ours] = [label.toLowerCase(), runnerLabel.toLowerCase()];
  const parts = partsOf(ours);
  if (parts === undefined) return false;
  const rest = `${parts.run}-${parts.attempt}`;
  const isOfThisAttempt = asked === FIRST + rest || asked.startsWith(`${FIRST}${rest}-`);
  if (asked === ours || isOfThisAttempt) return false;
  if (hasOtherNumbers(asked, parts)) return true;
  const end = rest + parts.name;
  return asked.endsWith(end) && editDistance(asked.slice(0, -end.length), FIRST) <= MOST_LABEL_SLIPS;
}

/** Writes the line of a workflow that asks for our label. */
export function runsOnLine(runnerLabel: string): string {
  const name = partsOf(runnerLabel)?.name ?? "";
  return `runs-on: gpu-\${{ github.run_id }}-\${{ github.run_attempt }}${name}`;
}

function partsOf(ours: string) {
  const [, run, attempt, name = ""] = /^gpu-(\d+)-(\d+)(-.*)?$/i.exec(ours) ?? [];
  return run === undefined || attempt === undefined ? undefined : { run, attempt, name };
}

/** True for another run's or attempt's number, or none: a misspelt expression is empty, as in `gpu-4711-`. */
function hasOtherNumbers(asked: string, { name, run }: LabelParts): boolean {
  if (!asked.startsWith(FIRST) || !asked.endsWith(name)) return false;
  const numbers = asked.slice(FIRST.length, asked.length - name.length);
  const [all, askedRun = "", attempt] = /^(\d*)(?:-(\d*))?$/.exec(numbers) ?? [];
  if (all === undefined) return false;
  if (askedRun === run) return true;
  // SPEC-SILENT: how to tell another run's number from that of a GPU, as in `gpu-3090-1`: by its length.
  const isRun = askedRun === "" || Math.abs(askedRun.length - run.length) <= 1;
  return isRun && attempt !== undefined;
}
