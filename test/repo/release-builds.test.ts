import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { beforeEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { useReleaseWorld } from "./support/release-world.ts";
import { textOf } from "./support/repository.ts";

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

  test("disagree where a new bundler changes what it packs", () => {
    releases(GOOD, { ...GOOD, ncc: "evil" });
    expect(compare(build())).toMatchObject({ status: 1, said: expect.stringMatching(/last-lock .* dist/) });
  });

  test("are accepted with a new bundler where a maintainer said so in the signed tag, and the log says so, too", () => {
    releases(GOOD, { ...GOOD, ncc: "new" }, "v1.4.0\n\nBundler: changed\n");
    const jobs = build();
    world().write("dist/main.js", "packed dist new good\n");
    expect(compare(jobs)).toMatchObject({ status: 1, said: expect.stringMatching(/dist is not what/) });
    world().release("v1.4.0", { message: "v1.4.0\n\nBundler: changed\n" });
    expect(compare(build())).toMatchObject({ status: 0, said: expect.stringContaining("::warning") });
  });

  test("disagree where the Node of npm's packages changes what is packed, whatever the tag says of the bundler", () => {
    releases(GOOD, { ...GOOD, node: "evil" }, "v1.4.0\n\nBundler: changed\n");
    expect(compare(build())).toMatchObject({ status: 1, said: expect.stringMatching(/official-node/) });
  });

  test("disagree with a dist that is not what its source makes, and with a file that it lacks", () => {
    releases(GOOD, GOOD);
    world().write("dist/main.js", "other\n");
    world().release();
    expect(compare(build())).toMatchObject({ status: 1, said: expect.stringMatching(/dist is not what/) });
    world().write("dist/main.js", "packed dist good good\n");
    world().write("dist/more.js", "more\n");
    world().release();
    expect(compare(build())).toMatchObject({ status: 1, said: expect.stringMatching(/dist is not what/) });
  });

  test.each(WAYS)("are not compared where %s handed on nothing", (way) => {
    releases(GOOD, GOOD);
    const jobs = build();
    for (const outputs of [{}, { ...jobs[way]?.outputs, setup: "" }])
      expect(compare({ ...jobs, [way]: { outputs } })).toMatchObject({
        status: 1,
        said: expect.stringContaining(`${way} handed on nothing`),
      });
  });

  test("differ by the whole bundler: compiler and bundler need no package beside those that are replaced", () => {
    const { packages } = JSON.parse(textOf("package-lock.json")) as { packages: Record<string, Needs> };
    const [, tools = ""] = /^TOOLS=\((.*)\)$/m.exec(textOf("scripts/release/build.sh")) ?? [];
    const isReplaced = (name: string) => tools.split(" ").some((tool) => name === tool || name.startsWith(`${tool}/`));
    for (const tool of ["typescript", "@vercel/ncc"]) {
      const {
        dependencies = {},
        optionalDependencies = {},
        peerDependencies = {},
      } = packages[`node_modules/${tool}`] ?? {};
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
  const SUM = "b6b2e0e2a4f5e7d3d1c0f9e8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c3d2e1f0a9b8";
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
    expect(pack(SUM)).toMatchObject({ status: 1, said: expect.stringContaining("setup.tgz is not") });
    expect(existsSync(`${out}/SHA256SUMS`)).toBe(false);
    expect(pack("").status).not.toBe(0);
  });

  test("lists the packages of the lock in an SBOM, and sums all three files", () => {
    expect(pack().status).toBe(0);
    const sbom = JSON.parse(readFileSync(`${out}/${name}.cdx.json`, "utf8"));
    expect(sbom).toMatchObject({
      bomFormat: "CycloneDX",
      metadata: { component: { name: "ephemeral-gpu-runner", version: "1.4.0" } },
    });
    const sums = readFileSync(`${out}/SHA256SUMS`, "utf8");
    const names = Array.from(sums.matchAll(/^[0-9a-f]{64} {2}(.*)$/gm), ([, file]) => file);
    expect(names).toEqual([`${name}.tar.gz`, `${name}.cdx.json`, "setup.tgz"]);
  });
});

interface Job {
  needs?: string | string[];
  environment?: string;
  permissions: Record<string, string>;
  outputs?: Record<string, string>;
  steps: { id?: string; run?: string; uses?: string; with?: Record<string, string>; env?: Record<string, string> }[];
}

describe("release.yml", () => {
  const { jobs } = parse(textOf(".github/workflows/release.yml")) as { jobs: Record<string, Job> };
  const runs = (job?: Job) => (job?.steps ?? []).map(({ run = "" }) => run).join("\n");

  test("runs scripts of main alone, in a checkout of their own", () => {
    for (const [name, job] of Object.entries(jobs)) {
      const scripts = Array.from(runs(job).matchAll(/(\S*)scripts\/release\//g), ([, before]) => before);
      expect(new Set(scripts), name).toEqual(scripts.length === 0 ? new Set() : new Set(["../main/"]));
      if (scripts.length === 0) continue;
      const checkouts = job.steps.filter(({ uses }) => uses?.startsWith("actions/checkout@"));
      const main = checkouts.find((step) => step.with?.path === "main");
      expect(main?.with, name).toMatchObject({ ref: "main" });
    }
  });

  test("installs packages only in jobs that can only read, and never where it publishes", () => {
    for (const [name, job] of Object.entries(jobs)) {
      if (!/\bnpm (?:ci|exec|test|run)\b|build\.sh/.test(runs(job))) continue;
      expect(job.permissions, name).toEqual({ contents: "read" });
      expect(JSON.stringify(job), name).not.toMatch(/github\.token|secrets\./);
    }
    expect(runs(jobs.publish)).not.toMatch(/\bnpm\b|\bnode\b|build\.sh/);
  });

  test("builds in a job for each way, by that script alone, and compares what they hand on", () => {
    for (const way of WAYS) {
      const job = jobs[way];
      expect(job?.needs).toBe("verify");
      expect(Object.keys(job?.outputs ?? {}).toSorted()).toEqual(["dist", "setup"]);
      expect(runs(job)).toContain(`build.sh ${way} `);
      expect(runs(job)).not.toMatch(/npm (?:test|run)/);
    }
    expect(jobs.compare?.needs).toEqual(["verify", ...WAYS]);
    expect(jobs.compare?.steps.at(-1)).toMatchObject({
      run: expect.stringContaining("compare-builds.sh"),
      env: { BUILDS: expect.stringContaining("toJSON(needs)") },
    });
    expect(jobs.publish).toMatchObject({ environment: "release", needs: ["test", "compare"] });
    expect(JSON.stringify(jobs.publish?.steps)).toContain("needs.compare.outputs.setup");
  });

  test("verifies tag, placeholders and environments before anything of the tag runs", () => {
    const before = runs(jobs.verify);
    for (const name of ["verify-tag.sh", "placeholders.sh", "environments.sh"]) expect(before).toContain(name);
    expect(before).not.toMatch(/\bnpm\b/);
    for (const [name, job] of Object.entries(jobs)) {
      if (name !== "verify") expect(job.needs, name).toBeDefined();
    }
  });

  test("attests what it releases, and releases the attestation's bundle", () => {
    const { steps } = jobs.publish as Job;
    const attest = steps.find(({ uses }) => uses?.startsWith("actions/attest-build-provenance@"));
    expect(attest?.with).toMatchObject({ "subject-path": "release/*" });
    expect(JSON.stringify(steps)).toContain(`steps.${attest?.id}.outputs.bundle-path`);
    expect(runs(jobs.publish)).toMatch(/cp "\$BUNDLE" .*\.intoto\.jsonl/);
  });
});
