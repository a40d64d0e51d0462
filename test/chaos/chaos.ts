import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ChaosOptions, readOptions, UsageError } from "./chaos-options.ts";
import { Suite } from "./suite.ts";
import { ProcessList } from "./world/process-list.ts";
import { endEntries } from "./world/run-entry.ts";

/**
 * `npm run chaos -- --runs N --seed S`: plays drawn runs, so many or for so many `--minutes`, and prints what they came
 * to; ends with code 1 when a rule was broken. `--run K` plays one of them again and prints its transcript, `--plan FILE`
 * one that was written down. See test/README.md.
 */

async function play(options: ChaosOptions): Promise<boolean> {
  using processes = new ProcessList();
  const suite = new Suite(options, processes);
  process.once("SIGINT", () => {
    process.once("SIGINT", endAtOnce);
    suite.drawNoMore();
  });
  const { plan, run } = options;
  if (plan !== undefined) return await suite.playOne(run ?? 0, JSON.parse(readFileSync(plan, "utf8")));
  return run === undefined ? await suite.playMany() : await suite.playOne(run);
}

/** Every world has its files in here; what still runs ends by itself when this process is gone. */
function keepFilesTogether(): void {
  const folder = mkdtempSync(join(tmpdir(), "chaos-"));
  process.env.TMPDIR = folder;
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  process.once("SIGTERM", endAtOnce);
}

function endAtOnce(): never {
  endEntries();
  process.exit(1);
}

try {
  const options = readOptions(process.argv.slice(2), Date.now() % 1_000_000);
  keepFilesTogether();
  process.exitCode = (await play(options)) ? 0 : 1;
} catch (fault) {
  if (!(fault instanceof UsageError)) throw fault;
  console.error(fault.message);
  process.exitCode = 1;
}
