import { tryOnstart } from "./onstart.ts";
import { trySample } from "./sample/try-sample.ts";

/**
 * `npm run mutants`: says which decisions no test would miss. `onstart` breaks those of the machine's scripts, `sample`
 * those that are drawn of src/. test/README.md has the options.
 */
const [command, ...args] = process.argv.slice(2);
if (command === "onstart") await tryOnstart();
else if (command === "sample") await trySample(args);
else throw new Error("Usage: npm run mutants -- onstart|sample");
