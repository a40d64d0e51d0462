import { tryOnstart } from "./onstart.ts";
import { runSample } from "./sample/run-sample.ts";

/**
 * `npm run mutants`: says which decisions no test would miss. `onstart` breaks those of the machine's scripts, the others
 * are about a sample of src/. test/README.md has the options.
 */
const [command, ...args] = process.argv.slice(2);
if (command === "onstart") await tryOnstart();
else if (command === "sample" || command === "survivors" || command === "figures") await runSample(command, args);
else throw new Error("Usage: npm run mutants -- onstart|sample|survivors|figures");
