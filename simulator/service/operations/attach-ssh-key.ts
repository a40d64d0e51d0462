import { missingInstance } from "../rentals/missing-instance.ts";
import { readSshKey } from "../requests/ssh-key-body.ts";
import type { Operation } from "../service-world.ts";
import { notInTheSeed } from "../traffic/not-in-the-seed.ts";

/** `POST /api/v0/instances/{instance_id}/ssh/`: not in the seed. Nobody can log in to a simulated machine, so nothing changes there. */
export const attachSshKey: Operation = ({ body, id }, { dialect, rentals }) => {
  notInTheSeed(dialect);
  readSshKey(body);
  if (!rentals.find(id)) throw missingInstance(id, dialect);
  return { status: 200, body: { success: true, msg: "SSH key added to instance successfully." } };
};
