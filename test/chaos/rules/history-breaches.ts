import type { RunFacts } from "../run-facts.ts";
import { money, type Violation } from "./violation.ts";

const RECORD = /^known-.*$/gm;
const SAID = /^(?:Known: \d+ hosts?|Nothing is known of earlier runs: )/gm;
/** GitHub's live log cuts longer lines, and a run's log is no place for more in all. */
const LONGEST_LINE = 1000;
const MOST = 48 * 1024;

/** Rules for what a run leaves in its log for the next, however it ended. */
export function historyBreaches({ main, post }: RunFacts): Violation[] {
  const lines = post?.log.match(RECORD) ?? [];
  const sum = lines.join("\n").length;
  const said = main.log.match(SAID)?.length ?? 0;
  return [
    ...lines
      .filter((line) => line.length > LONGEST_LINE || !/^known-1\.[\w-]{22}\.[\w-]+$/.test(line))
      .map((line) => money(`Post printed a line of ${line.length} characters that is no record.`)),
    ...(sum > MOST ? [money(`Post printed a history of ${sum} characters.`)] : []),
    ...(said > 1 ? [money(`Main said ${said} times what it knows of earlier runs.`)] : []),
    ...(/^Known/m.test(main.log) ? [money("Main believed a history that nobody with its key wrote.")] : []),
    ...(RECORD.test(main.log) ? [money("Main printed a history.")] : []),
  ];
}
