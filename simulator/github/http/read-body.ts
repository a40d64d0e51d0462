import type { IncomingMessage } from "node:http";

const MOST_BYTES = 16 * 1024 * 1024;

/** Reads the whole body as text; throws when it is larger than any request to the stand-in should be. */
export async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    const bytes = Buffer.from(part);
    size += bytes.length;
    if (size > MOST_BYTES) throw new Error(`The body is larger than ${MOST_BYTES} bytes.`);
    parts.push(bytes);
  }
  return Buffer.concat(parts).toString("utf8");
}
