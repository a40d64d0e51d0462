import { DEATHS } from "./deaths.ts";

/**
 * `node test/bench/time-deaths.ts [runs]`: the worst of so many runs (3) for each kind of death, on
 * a clock that is 20 times as fast. The start of a process, which is as long as ever, counts 20
 * times. The table of docs/internals/bill.md is made with it.
 */

const runs = Number(process.argv[2] ?? 3);

console.log(`| what dies | worst of ${runs}, in seconds | promised |`);
console.log("|---|--:|---|");
for (const { name, promise, measure } of DEATHS) {
  let worst = 0;
  for (let round = 0; round < runs; round += 1) worst = Math.max(worst, await measure());
  console.log(`| ${name} | ${Math.round(worst)} | ${promise} |`);
}
