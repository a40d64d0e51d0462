/**
 * `npm run bench`: whole processes on the real clock. `npm run bench -- market`: the loop on a
 * drawn market, whose clock is wound by hand.
 */
if (process.argv[2] === "market") {
  const { benchMarket } = await import("./market/bench-market.ts");
  await benchMarket(process.argv.slice(3));
} else {
  await import("./bench-uses.ts");
}
