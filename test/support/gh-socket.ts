import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { join } from "node:path";

/**
 * Lets a real gh whose settings are in this folder speak to the stand-in at `url`. It asks api.github.com alone, or whatever
 * answers at a socket that its settings name.
 */
export async function openGhSocket(folder: string, url: string): Promise<Server> {
  const server = createServer((caller) => {
    const standIn = connect(Number(new URL(url).port), "127.0.0.1");
    caller.pipe(standIn).pipe(caller);
    for (const socket of [caller, standIn]) socket.on("error", () => socket.destroy());
  });
  const path = join(folder, "socket");
  server.listen(path);
  await once(server, "listening");
  writeFileSync(join(folder, "config.yml"), `http_unix_socket: ${path}\nprompt: disabled\n`);
  return server;
}
