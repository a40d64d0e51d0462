import { deliver } from "../../http/deliver.ts";
import type { Exchange } from "../../http/serve-http.ts";
import { serveSetup } from "../setup/serve-setup.ts";
import type { World } from "../world.ts";
import { refusal } from "./answer.ts";
import { onWire } from "./on-wire.ts";
import { serveOperation } from "./serve-operation.ts";
import { serveRoute } from "./serve-route.ts";

/** GitHub Enterprise Server has its API there; the stand-in answers at both places. */
const ENTERPRISE_PREFIX = "/api/v3";

/** Answers a request, to GitHub's API or to a path that GitHub does not have. */
export async function serve(world: World, { request, response, url }: Exchange): Promise<void> {
  const { pathname, searchParams: query } = url;
  if (pathname.startsWith("/_")) return serveRoute(world, { path: pathname, query, request, response });
  const enterprise = pathname.startsWith(`${ENTERPRISE_PREFIX}/`);
  const prefix = enterprise ? ENTERPRISE_PREFIX : "";
  // Links lead to where the caller looked for GitHub, which need not be this address.
  const { host = new URL(world.url).host } = request.headers;
  const target = { path: pathname.slice(prefix.length), query, api: `http://${host}${prefix}` };
  if (await serveSetup(world, { ...target, request, response })) return;
  await serveOperation(world, { target, request, response });
}

/** Answers a request over which the stand-in itself stumbled. */
export function sayThatItFailed({ clock }: World, fault: unknown, { response }: Exchange): void {
  if (response.headersSent) return;
  deliver(response, { how: "answer", answer: onWire(refusal(500, String(fault)), clock) }, clock);
}
