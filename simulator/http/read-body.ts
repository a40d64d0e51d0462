import type { IncomingMessage } from "node:http";

/** More than most requests to a stand-in should have. */
const MEGABYTE = 1_000_000;

/** Reads a request's whole body as text; breaks the connection by a throw when it is too long. */
export async function readBody(request: IncomingMessage, mostBytes = MEGABYTE): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    const bytes = Buffer.from(part);
    size += bytes.length;
    if (size > mostBytes) {
      request.socket.destroy();
      throw new Error(`The request's body is longer than ${mostBytes} bytes.`);
    }
    parts.push(bytes);
  }
  return Buffer.concat(parts).toString("utf8");
}

/** Reads a text as JSON; undefined for one that is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
