import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { replay } from "../src/fleet/recording/replay.ts";
import { UserError } from "../src/shared/user-error.ts";

// npm run replay -- FILE: says what the loop decided at each event of a run, and why.
const { positionals } = parseArgs({ allowPositionals: true });
const [path] = positionals;
try {
  if (path === undefined) throw new UserError("No file is named. Use npm run replay -- FILE.");
  const { lines, state } = replay(readFileSync(path, "utf8"));
  for (const line of lines) console.log(line);
  console.log(`${state.machines.length} creates, ${lines.length} decisions shown.`);
} catch (error) {
  const isForeseen = error instanceof UserError || (error as NodeJS.ErrnoException).code !== undefined;
  if (!isForeseen) throw error;
  const { message, hint = "" } = error as UserError;
  console.error(`${message} ${hint}`.trim());
  process.exitCode = 1;
}
