/** One file of an archive. */
export interface TarFile {
  /** At most 100 characters. */
  readonly path: string;
  readonly content: Buffer;
  readonly executable: boolean;
}

const BLOCK = 512;

/** Packs files as ustar, the same files into the same bytes: no owner, no time. */
export function packTar(files: readonly TarFile[]): Buffer {
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
