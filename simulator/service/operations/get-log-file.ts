import type { Operation } from "../service-world.ts";
import { Refusal } from "../traffic/refusal.ts";

/** `GET /log-files/{id}`: what a `result_url` leads to. Not a part of the interface: it takes no key. */
export const getLogFile: Operation = ({ id, query, caller }, { logFiles }) => {
  // As the real store does: an address that carries its own proof, and a header that carries another, are refused together.
  if (caller.kind !== "anonymous")
    throw new Refusal(400, { error: "InvalidArgument", msg: "Only one proof is allowed." });
  const text = logFiles.read(id, query.get("signature"));
  // SPEC-SILENT: what the store says of a file that is not there yet. Clients take anything but 200 for "not yet".
  if (text === undefined) throw new Refusal(404, { error: "NoSuchKey", msg: "There is no such file." });
  return { status: 200, text };
};
