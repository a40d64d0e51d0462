import { z } from "zod";
import type { Operation } from "../../service-world.ts";
import { notInTheSeed } from "../../traffic/not-in-the-seed.ts";
import { Refusal } from "../../traffic/refusal.ts";

const Body = z.strictObject({ id: z.int().positive() });

/**
 * `DELETE /api/v0/volumes/`: not in the seed. The id is documented in the body, and sent as a query
 * by the official client.
 */
export const deleteVolume: Operation = ({ body, query }, { dialect, rentals, volumes }) => {
  notInTheSeed(dialect);
  const given = Body.safeParse(query.has("id") ? { ...body, id: Number(query.get("id")) } : body).data;
  if (!given) throw new Refusal(400, { error: "invalid_args", msg: "id must be a volume's id" });
  const { id } = given;
  const volume = volumes.find(id);
  if (!volume) throw new Refusal(404, { error: "no_such_volume", msg: `There is no volume ${id}.` });
  // SPEC-SILENT: the answer while it is in use; the official client says to destroy those first.
  if (rentals.using(id).length > 0) {
    throw new Refusal(400, { error: "invalid_args", msg: `volume ${id} is in use; destroy its instances first` });
  }
  volumes.delete(volume);
  return { status: 200, body: { success: true } };
};
