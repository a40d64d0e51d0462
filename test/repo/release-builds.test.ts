import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { beforeEach, describe, expect, test } from "vitest";
import { refused, useReleaseWorld } from "./support/release-world.ts";
import { textOf } from "./support/repository.ts";
import { type Job, ourWorkflow, runsOf } from "./support/workflows.ts";

const world = useReleaseWorld();
const WAYS = ["this-lock", "last-lock", "official-node"] as const;

/** Packages as a lock names them: `ncc` and `node` say what they add to what they make. */
interface Packages {
  ncc?: string;
  node?: string;
}

interface Needs {
  dependencies?: object;
  optionalDependencies?: object;
  peerDependencies?: object;
}

const lock = (packages: Packages) =>
  `${JSON.stringify({ name: "x", lockfileVersion: 3, packages: {}, ...packages })}\n`;

// What the real ones do, in small: the bundler and the Node on PATH make both results.
const BUILD = `import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
execFileSync("tsc");
mkdirSync("dist");
writeFileSync("dist/main.js", execFileSync("ncc", ["dist"]));
`;
const PACK = `import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
const [folder, repository, commit] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
writeFileSync(folder + "/setup.tgz", execFileSync("ncc", [repository, commit]));
`;

/** An npm whose \`ci\` puts down what the lock of its folder names, and runs nothing of it. */
const NPM = `[[ "$*" == 'ci --ignore-scripts' ]] || { echo "npm $*: a script of a package could run" >&2; exit 1; }
mkdir -p node_modules/@typescript node_modules/typescript/bin node_modules/@vercel/ncc/dist/ncc node_modules/.bin
ln -sf ../typescript/bin/tsc node_modules/.bin/tsc
ln -sf ../@vercel/ncc/dist/ncc/cli.js node_modules/.bin/ncc
printf '#!/bin/bash\\n' >node_modules/typescript/bin/tsc
printf '#!/bin/bash\\necho "packed $* %s $BY"\\n' "$(jq -r .ncc package-lock.json)" >node_modules/@vercel/ncc/dist/ncc/cli.js
printf '#!/bin/bash\\nexport BY=%s\\nexec "${process.execPath}" "$@"\\n' "$(jq -r .node package-lock.json)" >node_modules/.bin/node
chmod +x node_modules/typescript/bin/tsc node_modules/@vercel/ncc/dist/ncc/cli.js node_modules/.bin/node`;

/** Two releases: v1.3.0 by the lock of \`last\`, v1.4.0 by that of \`now\`, and dist as the clean tools make it. */
function releases(last: Packages | undefined, now: Packages, message = "v1.4.0"): void {
  world().standIn("npm", NPM);
  world().standIn("node", `export BY=good\nexec "${process.execPath}" "$@"`);
  world().write(".gitignore", "node_modules\n");
  world().write("scripts/build.mjs", BUILD);
  world().write("scripts/pack-setup.mjs", PACK);
  world().write("dist/main.js", "packed dist good good\n");
  if (last) {
    world().write("package-lock.json", lock(last));
    world().release("v1.3.0");
  }
  world().write("package-lock.json", lock(now));
  world().release("v1.4.0", { message });
}

const GOOD = { ncc: "good", node: "good" };

/** What the jobs of release.yml hand on, by the real scripts. */
function build(): Record<string, { outputs: Record<string, string> }> {
  const verified = world().script("verify-tag.sh", ["v1.4.0"]);
  expect(verified, verified.said).toMatchObject({ status: 0 });
  const { bundler = "" } = world().outputs();
  const jobs: Record<string, { outputs: Record<string, string> }> = { verify: { outputs: { bundler } } };
  for (const way of WAYS) {
    const built = world().script("build.sh", [way, "v1.4.0", world().path(way)]);
    expect(built, built.said).toMatchObject({ status: 0 });
    const { dist = "", setup = "" } = world().outputs();
    jobs[way] = { outputs: { dist, setup } };
    world().git("clean", "--quiet", "--force", "-dx");
    world().git("checkout", "--quiet", "--", ".");
  }
  return jobs;
}

const compare = (jobs: object) => world().script("compare-builds.sh", [], { BUILDS: JSON.stringify(jobs) });

describe("three builds that differ in what runs", () => {
  test("agree where nobody changed a tool, and the digest of what they packed is handed on", () => {
    releases(GOOD, GOOD);
    const jobs = build();
    expect(compare(jobs)).toMatchObject({ status: 0 });
    expect(world().outputs().setup).toBe(jobs["this-lock"]?.outputs.setup);
    const packed = readFileSync(world().path("this-lock/setup.tgz"), "utf8");
    expect(packed).toBe(`packed acme/ephemeral-gpu-runner ${world().git("rev-parse", "HEAD")} good good\n`);
  });

  test("agree at the first release, which has no earlier lock, and the log says so", () => {
    releases(undefined, GOOD);
    expect(compare(build()).status).toBe(0);
    const { said } = world().script("build.sh", ["last-lock", "v1.4.0", world().path("again")]);
    expect(said).toContain("There is no earlier release");
  });

  const SAID = "v1.4.0\n\nBundler: changed\n";
  test.each<[string, Packages, string | undefined, RegExp]>([
    ["a new bundler changes what it packs", { ...GOOD, ncc: "evil" }, undefined, /last-lock .* dist/],
    ["the Node of npm's packages does, whatever the tag says", { ...GOOD, node: "evil" }, SAID, /official-node/],
  ])("disagree where %s", (_, now, message, says) => {
    releases(GOOD, now, message);
    expect(compare(build())).toMatchObject(refused(says));
  });

  test("are accepted with a new bundler where a maintainer said so in the signed tag, and the log says so, too", () => {
    releases(GOOD, { ...GOOD, ncc: "new" }, SAID);
    expect(compare(build())).toMatchObject(refused("dist is not what"));
    world().write("dist/main.js", "packed dist new good\n");
    world().release("v1.4.0", { message: SAID });
    expect(compare(build())).toMatchObject({ status: 0, said: expect.stringContaining("::warning") });
  });

  test.each([
    ["that is not what its source makes", "dist/main.js", "other\n"],
    ["with a file more", "dist/more.js", "more\n"],
  ])("disagree with a dist %s", (_, path, text) => {
    releases(GOOD, GOOD);
    world().write(path, text);
    world().release();
    expect(compare(build())).toMatchObject(refused("dist is not what"));
  });

  test("are not compared where one of them handed on nothing", () => {
    releases(GOOD, GOOD);
    const jobs = build();
    for (const way of WAYS)
      for (const outputs of [{}, { ...jobs[way]?.outputs, setup: "" }])
        expect(compare({ ...jobs, [way]: { outputs } })).toMatchObject(refused(`${way} handed on nothing`));
  });

  test("differ by the whole bundler: compiler and bundler need no package beside those that are replaced", () => {
    const { packages } = JSON.parse(textOf("package-lock.json")) as { packages: Record<string, Needs> };
    const [, tools = ""] = /^TOOLS=\((.*)\)$/m.exec(textOf("scripts/release/build.sh")) ?? [];
    const isReplaced = (name: string) => tools.split(" ").some((tool) => name === tool || name.startsWith(`${tool}/`));
    for (const tool of ["typescript", "@vercel/ncc"]) {
      const { dependencies, optionalDependencies, peerDependencies } = packages[`node_modules/${tool}`] ?? {};
      const needed = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
      expect([tool, ...needed].filter((name) => !isReplaced(name))).toEqual([]);
    }
  });

  test("end where a build fails, or would take another way", () => {
    releases(GOOD, GOOD);
    world().standIn("npm", "exit 1");
    expect(world().script("build.sh", ["this-lock", "v1.4.0", world().path("x")]).status).not.toBe(0);
    expect(world().script("build.sh", ["any", "v1.4.0", world().path("x")]).status).not.toBe(0);
    expect(world().outputs()).toEqual({});
  });
});

describe("pack.sh", () => {
  let out: string;
  beforeEach(() => {
    out = world().path("release");
    mkdirSync(out);
    writeFileSync(`${out}/setup.tgz`, "packed before");
  });
  const digest = () => execFileSync("sha256sum", [`${out}/setup.tgz`], { encoding: "utf8" }).slice(0, 64);
  const pack = (sum = digest()) => world().script("pack.sh", ["v1.4.0", out, sum]);
  const name = "ephemeral-gpu-runner-v1.4.0";

  test("packs what runs, the same bytes every time", () => {
    expect(pack()).toMatchObject({ status: 0 });
    const first = readFileSync(`${out}/${name}.tar.gz`);
    expect(pack().status).toBe(0);
    expect(readFileSync(`${out}/${name}.tar.gz`).equals(first)).toBe(true);
    const files = execFileSync("tar", ["-tzf", `${out}/${name}.tar.gz`], { encoding: "utf8" });
    for (const path of ["action.yml", "sweep/action.yml", "dist/main.js"]) expect(files).toContain(`${name}/${path}\n`);
    expect(files).not.toContain("CHANGELOG");
  });

  test("refuses a setup.tgz that is not what the builds agreed on", () => {
    expect(pack("0".repeat(64))).toMatchObject(refused("setup.tgz is not"));
    expect(existsSync(`${out}/SHA256SUMS`)).toBe(false);
    expect(pack("").status).not.toBe(0);
  });

  test("lists the packages of the lock in an SBOM, and sums all three files", () => {
    expect(pack().status).toBe(0);
    const sbom = JSON.parse(readFileSync(`${out}/${name}.cdx.json`, "utf8"));
    const component = { name: "ephemeral-gpu-runner", version: "1.4.0" };
    expect(sbom).toMatchObject({ bomFormat: "CycloneDX", metadata: { component } });
    const sums = readFileSync(`${out}/SHA256SUMS`, "utf8");
    const names = Array.from(sums.matchAll(/^[0-9a-f]{64} {2}(.*)$/gm), ([, file]) => file);
    expect(names).toEqual([`${name}.tar.gz`, `${name}.cdx.json`, "setup.tgz"]);
  });
});

describe("release.yml", () => {
  const { jobs } = ourWorkflow("release");
  const { verify, compare: comparing, publish } = jobs;

  test("runs scripts of main alone, in a checkout of their own", () => {
    for (const [name, job] of Object.entries(jobs)) {
      const scripts = Array.from(runsOf(job).matchAll(/(\S*)scripts\/release\//g), ([, before]) => before);
      if (scripts.length === 0) continue;
      expect(new Set(scripts), name).toEqual(new Set(["../main/"]));
      const main = job.steps?.find((step) => step.uses?.startsWith("actions/checkout@") && step.with?.path === "main");
      expect(main?.with, name).toMatchObject({ ref: "main" });
    }
  });

  test("verifies tag, placeholders and environments before anything of the tag runs", () => {
    for (const name of ["verify-tag.sh", "placeholders.sh", "environments.sh"]) expect(runsOf(verify)).toContain(name);
    expect(runsOf(verify)).not.toMatch(/\bnpm\b/);
    expect(Object.keys(jobs).filter((name) => jobs[name]?.needs === undefined)).toEqual(["verify"]);
  });

  test.each(WAYS)("builds %s in a job of its own, by that script alone", (way) => {
    expect(jobs[way]?.needs).toBe("verify");
    expect(Object.keys(jobs[way]?.outputs ?? {}).toSorted()).toEqual(["dist", "setup"]);
    expect(runsOf(jobs[way])).toContain(`build.sh ${way} `);
    expect(runsOf(jobs[way])).not.toMatch(/npm (?:test|run)/);
  });

  test("publishes what the builds agreed on, after a maintainer's yes, and runs no code of packages there", () => {
    expect(comparing?.needs).toEqual(["verify", ...WAYS]);
    const { run, env } = comparing?.steps?.at(-1) ?? {};
    expect(run).toContain("compare-builds.sh");
    expect(env?.BUILDS).toBe("$".concat("{{ toJSON(needs) }}"));
    expect(publish).toMatchObject({ environment: "release", needs: ["test", "compare"] });
    expect(JSON.stringify(publish?.steps)).toContain("needs.compare.outputs.setup");
    expect(runsOf(publish)).not.toMatch(/\bnpm\b|\bnode\b|build\.sh/);
  });

  test("attests what it releases, and releases the attestation's bundle", () => {
    const { steps = [] } = publish as Job;
    const attest = steps.find(({ uses }) => uses?.startsWith("actions/attest-build-provenance@"));
    expect(attest?.with).toMatchObject({ "subject-path": "release/*" });
    expect(JSON.stringify(steps)).toContain(`steps.${attest?.id}.outputs.bundle-path`);
    expect(runsOf(publish)).toMatch(/cp "\$BUNDLE" .*\.intoto\.jsonl/);
  });
});
