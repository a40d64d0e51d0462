/**
 * `npm run bench`: what starts and looks cost, on the real clock. `npm run bench -- market`: the loop on a drawn market,
 * whose clock is wound by hand. `npm run bench -- gpu-figures`: what asking the driver costs a job, on a computer with a GPU.
 */
if (process.argv[2] === "market") {
  const { benchMarket } = await import("./market/bench-market.ts");
  await benchMarket(process.argv.slice(3));
} else if (process.argv[2] === "gpu-figures") {
  await import("./gpu-figures.ts");
} else {
  await import("./bench-runs.ts");
}
