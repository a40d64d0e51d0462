import { missingInstance } from "../../rentals/missing-instance.ts";
import { readSshKey } from "../../requests/ssh-key-body.ts";
import type { Operation } from "../../service-world.ts";
import { notInTheSeed } from "../../traffic/not-in-the-seed.ts";

/** `POST /api/v0/instances/{instance_id}/ssh/`: not in the seed. Lets a key log in; repeatable. */
export const attachSshKey: Operation = ({ body, id }, { dialect, rentals, sshKeys, machines }) => {
  notInTheSeed(dialect);
  const key = readSshKey(body);
  const record = rentals.find(id);
  if (!record) throw missingInstance(id, dialect);
  if (!record.sshKeys.some((each) => each.key === key)) record.sshKeys.push(sshKeys.known(key));
  machines?.allowSshKey?.(id, key);
  return { status: 200, body: { success: true, msg: "SSH key added to instance successfully." } };
};
