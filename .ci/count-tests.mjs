// Tells from vitest's JSON report: the files with tests that were not run; the tests that failed,
// each with the beginning of why; at last "PASSED FAILED" as two numbers.
import { readFileSync } from "node:fs";
import { relative } from "node:path";

const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(process.argv[2], "utf8"));
for (const { name, message, assertionResults } of testResults) {
  const file = relative(".", name);
  const having = (wanted) => assertionResults.filter(({ status }) => status === wanted);
  const skipped = having("skipped").length;
  if (skipped > 0) console.log(`SKIPPED: ${skipped} tests of ${file}`);
  if (assertionResults.length === 0) console.log(`FAILED  ${file}: ${message}`);
  for (const { fullName, failureMessages } of having("failed")) {
    const why = failureMessages.join("\n").split("\n    at ")[0];
    console.log(`FAILED  ${file} > ${fullName}: ${why.replaceAll(/\s+/g, " ").slice(0, 500)}`);
  }
}
console.log(numPassedTests, numFailedTests);
