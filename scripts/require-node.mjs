// npm puts node_modules/.bin first on PATH, and the optional dependency node-linux-* puts the Node
// of action.yml there. Where that package is not made for the platform, a Node 24 or newer on PATH
// does as well.
const major = Number(process.versions.node.split(".")[0]);
if (major < 24) {
  console.error(
    `This needs Node 24, and found ${process.version}. Run \`npm ci\` without --omit=optional on Linux, or put Node 24 on PATH.`,
  );
  process.exit(1);
}
