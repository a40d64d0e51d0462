import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

/** One file of an archive. */
interface TarFile {
  /** At most 100 characters. */
  readonly path: string;
  readonly content: Buffer;
  readonly executable: boolean;
}

const BLOCK = 512;

/** Packs files as ustar, the same files into the same bytes: no owner, no time. */
function packTar(files: readonly TarFile[]): Buffer {
  const entries = files.flatMap((file) => [header(file), file.content, padding(file.content.length)]);
  return Buffer.concat([...entries, Buffer.alloc(2 * BLOCK)]);
}

function padding(length: number): Buffer {
  return Buffer.alloc((BLOCK - (length % BLOCK)) % BLOCK);
}

function header({ path, content, executable }: TarFile): Buffer {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, "0")}\0`;
  block.write(path, 0, 100, "utf8");
  block.write(octal(executable ? 0o755 : 0o644, 7), 100);
  block.write(octal(0, 7), 108);
  block.write(octal(0, 7), 116);
  block.write(octal(content.length, 11), 124);
  block.write(octal(0, 11), 136);
  block.write("0", 156);
  block.write("ustar\0", 257);
  block.write("00", 263);
  // The checksum is the sum of the header's bytes, with blanks where it is written.
  block.write(" ".repeat(8), 148);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return block;
}

/** The version that the stand-in runner pretends to be. */
const VERSION = "2.337.0";
const FILES = ["run.sh", "config.sh", "bin/Runner.Listener"];
const FOLDER = new URL("../../machine/runner/", import.meta.url);

/** The archives of the stand-in runner, made once from the files in `machine/runner`. */
export class RunnerPackage {
  /** Replaces the published SHA-256; null: none at all. Undefined: the true one. */
  publishedSha256: string | null | undefined;
  /** Whether the download URL redirects to another path, as GitHub's does to its blob host. */
  redirects = true;
  readonly #archives = new Map([archive("x64"), archive("arm64")]);

  /** The downloads endpoint's list, only the two Linux archives: the rest must never be fetched. */
  downloads() {
    const other = createHash("sha256").update("no such archive").digest("hex");
    const linux = [...this.#archives].map(([filename, content]) => ({
      os: "linux",
      architecture: filename.includes("-arm64-") ? "arm64" : "x64",
      filename,
      sha256: this.publishedSha256 === undefined ? sha256(content) : this.publishedSha256,
    }));
    const osx = { os: "osx", architecture: "x64", filename: filename("osx-x64"), sha256: other };
    const arm = { os: "linux", architecture: "arm", filename: filename("linux-arm"), sha256: other };
    return [osx, arm, ...linux];
  }

  /** The bytes of an archive; undefined when there is none of this name. */
  content(filename: string): Buffer | undefined {
    return this.#archives.get(filename);
  }
}

function archive(architecture: string): [string, Buffer] {
  const files = FILES.map((path) => ({
    path: `./${path}`,
    content: readFileSync(new URL(path, FOLDER)),
    executable: true,
  }));
  // Makes the two archives differ, so that taking the wrong one shows in its checksum.
  const mark = { path: "./bin/architecture", content: Buffer.from(`${architecture}\n`), executable: false };
  return [filename(`linux-${architecture}`), gzipSync(packTar([...files, mark]))];
}

function filename(platform: string): string {
  return `actions-runner-${platform}-${VERSION}.tar.gz`;
}

function sha256(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}
