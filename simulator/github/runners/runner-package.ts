import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The version that the stand-in runner pretends to be. */
const VERSION = "2.337.0";
const FILES = ["run.sh", "config.sh", "bin/Runner.Listener"];
const FOLDER = fileURLToPath(new URL("../../machine/runner", import.meta.url));

/** Opens the archives of the stand-in runner. */
export function openRunnerPackage() {
  return {
    /** Replaces the published SHA-256; null: none at all. Undefined: the true one. */
    publishedSha256: undefined as string | null | undefined,
    /** The downloads endpoint's list, only the two Linux archives: the rest must never be fetched. */
    downloads() {
      const linux = Array.from(archives(), ([name, content]) => ({
        os: "linux",
        architecture: name.includes("-arm64-") ? "arm64" : "x64",
        filename: name,
        sha256: this.publishedSha256 === undefined ? sha256(content) : this.publishedSha256,
      }));
      const other = sha256(Buffer.from("no such archive"));
      const osx = { os: "osx", architecture: "x64", filename: filename("osx-x64"), sha256: other };
      const arm = { os: "linux", architecture: "arm", filename: filename("linux-arm"), sha256: other };
      return [osx, arm, ...linux];
    },
    /** The bytes of an archive; undefined when there is none of this name. */
    content: (name: string) => archives().get(name),
  };
}

let made: Map<string, Buffer> | undefined;

/** The archives of the files in `machine/runner`, which are made once. */
function archives(): Map<string, Buffer> {
  made ??= new Map(["x64", "arm64"].map((architecture) => [filename(`linux-${architecture}`), pack(architecture)]));
  return made;
}

function pack(architecture: string): Buffer {
  const own = mkdtempSync(join(tmpdir(), "runner-package-"));
  // Makes the two archives differ, so that taking the wrong one shows in its checksum.
  writeFileSync(join(own, "architecture"), `${architecture}\n`);
  const always = ["--owner=0", "--group=0", "--mtime=@0", "--mode=755", "--format=ustar"];
  const tar = spawnSync("tar", ["-cz", ...always, "-C", FOLDER, ...FILES, "-C", own, "architecture"]);
  rmSync(own, { recursive: true });
  if (tar.status !== 0) throw new Error(`tar made no archive of the runner: ${tar.error ?? tar.stderr}`);
  return tar.stdout;
}

function filename(platform: string): string {
  return `actions-runner-${platform}-${VERSION}.tar.gz`;
}

function sha256(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}
