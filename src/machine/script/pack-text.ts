import { gzipSync } from "node:zlib";

/** Packs a text for a variable or a line of shell: gzip, then base64. The bootstrap unpacks it. */
export function packText(text: string): string {
  return gzipSync(text, { level: 9 }).toString("base64");
}
