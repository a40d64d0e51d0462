import { execFile } from "node:child_process";
import { mkdirSync, mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { ROOT } from "./support/repository.ts";

const run = promisify(execFile);

/** What the walls say of a repository that holds one file with one import. */
async function saidOf(path: string, specifier: string): Promise<string> {
  using folder = mkdtempDisposableSync(join(tmpdir(), "walls-"));
  const file = join(folder.path, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `import { x } from "${specifier}";\n`);
  return await run(process.execPath, [join(ROOT, "scripts/walls.mjs"), folder.path]).then(
    () => "",
    ({ stderr }) => String(stderr),
  );
}

test.concurrent.each([
  ["a room that stands above", "src/shared/x.ts", "../fleet/state.ts"],
  ["a package that is another room's", "src/fleet/x.ts", "zod"],
  ["what only its own room knows of a service", "src/fleet/renting/x.ts", "../../marketplace/vast/schemas.ts"],
  ["a room that is in no table", "src/elsewhere/x.ts", "../shared/text.ts"],
  ["the action, from the simulator", "simulator/service/x.ts", "../../src/shared/text.ts"],
  ["the client, from the action", "src/marketplace/vast/x.ts", "../../../client/account.ts"],
  ["the action, from the set-up", "setup/x.ts", "../src/shared/text.ts"],
])("a file may not import %s", async (_what, path, specifier) => {
  expect(await saidOf(path, specifier)).toContain(`${path} imports ${specifier}: `);
});

test.concurrent.each([
  ["its own room", "src/fleet/decide/x.ts", "../state.ts"],
  ["a room below", "src/fleet/x.ts", "../shared/text.ts"],
  ["a package of its room", "src/shared/x.ts", "undici"],
  ["Node", "src/shared/x.ts", "node:timers/promises"],
  ["the client, from the one file of the set-up that knows it", "setup/service.ts", "../client/client.ts"],
])("a file may import %s", async (_what, path, specifier) => {
  expect(await saidOf(path, specifier)).toBe("");
});
