import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import sodium from "libsodium-wrappers";

/** What seals a secret for gh's stand-in, at an address of its own: a Node process for each would take far longer. */
export type Sealer = Awaited<ReturnType<typeof startSealer>>;

/** Starts it. It is sent a secret, with the public key of the repository or environment in the header `key`. */
export async function startSealer() {
  await sodium.ready;
  const server = createServer(async (request, response) => {
    const secret = Buffer.concat(await request.toArray()).toString();
    const key = Buffer.from(String(request.headers.key), "base64");
    // As gh does, without the line's end.
    const sealed = sodium.crypto_box_seal(secret.replace(/[\r\n]+$/, ""), key);
    response.end(Buffer.from(sealed).toString("base64"));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, [Symbol.dispose]: () => void server.close() };
}
