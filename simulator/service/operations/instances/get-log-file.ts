import type { Operation } from "../../service-world.ts";
import { Refusal } from "../../traffic/refusal.ts";

/** `GET /log-files/{id}`: the page of a `result_url`. No part of the interface: takes no key. */
export const getLogFile: Operation = ({ id, query, caller }, { logFiles }) => {
  // As the real store: an address with its own proof, and a header with another, are refused.
  if (caller.kind !== "anonymous")
    throw new Refusal(400, { error: "InvalidArgument", msg: "Only one proof is allowed." });
  const text = logFiles.read(id, query.get("signature"));
  // SPEC-SILENT: the store's word on a file not there yet. Clients wait on all but 200.
  if (text === undefined) throw new Refusal(404, { error: "NoSuchKey", msg: "There is no such file." });
  return { status: 200, text };
};
