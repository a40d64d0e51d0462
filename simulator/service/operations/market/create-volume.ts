import { z } from "zod";
import type { Operation } from "../../service-world.ts";
import { notInTheSeed } from "../../traffic/not-in-the-seed.ts";
import { Refusal } from "../../traffic/refusal.ts";

const Body = z.strictObject({
  id: z.int().positive(),
  size: z.number().positive(),
  name: z
    .string()
    .regex(/^[A-Za-z0-9_]{1,64}$/)
    .nullish(),
});

/** `PUT /api/v0/volumes/`: not in the seed. */
export const createVolume: Operation = ({ body }, { dialect, volumes }) => {
  notInTheSeed(dialect);
  const wanted = Body.safeParse(body).data;
  if (!wanted) throw new Refusal(400, { error: "invalid_args", msg: "id, size and name (A-Z, a-z, 0-9, _) are taken" });
  const { id } = volumes.create(wanted.id, wanted.size, wanted.name ?? null);
  return { status: 200, body: { success: true, volume_name: `V.${id}`, volume_id: id } };
};
