import { z } from "zod";
import { Refusal } from "../traffic/refusal.ts";

const Body = z.looseObject({ ssh_key: z.string().regex(/^(ssh-(rsa|ed25519|dss)|ecdsa-sha2-\S+|sk-\S+) \S+/) });

/** Reads the public key of a body; throws the service's 400 for none. */
export function readSshKey(body: Readonly<Record<string, unknown>>): string {
  const given = Body.safeParse(body).data;
  // SPEC-SILENT: whether the form of a key is checked; only that one must be there is known.
  if (!given) throw new Refusal(400, { error: "no_ssh_key", msg: "ssh_key must be a public key." });
  return given.ssh_key;
}

/** The 400, as described, for a key that the account does not have. */
export function missingSshKey(): Refusal {
  return new Refusal(400, { error: "no_ssh_key", msg: "No ssh key provided" });
}
