import type { SshKey } from "../rentals/ssh-keys.ts";

/** A key as the account's list shows it. */
export function listedSshKey({ id, key, createdAt }: SshKey) {
  return { id, user_id: 50_210, key, created_at: new Date(createdAt).toISOString(), deleted_at: null };
}

/** A key as the answer to its making or its change shows it: its text under another name. */
export function madeSshKey(made: SshKey) {
  const { key, ...others } = listedSshKey(made);
  return { ...others, public_key: key };
}
