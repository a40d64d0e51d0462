import { createAnswerSchema, createInstance } from "./endpoints/create-instance.ts";
import { type RawAnswer, refusalError, saysNo } from "./judge-status.ts";
import { type ServiceError, UnexpectedAnswerError } from "./service-errors.ts";

/**
 * An answer to *create instance*. `unwanted`: an error, and yet an instance, to be destroyed.
 * `refused`: no instance is told; after a ServerError or an UnexpectedAnswerError look for one by
 * its label.
 */
export type CreateReading =
  | { kind: "created"; id: number; instanceApiKey: string | undefined }
  | { kind: "unwanted"; id: number; error: ServiceError }
  | { kind: "refused"; error: ServiceError | UnexpectedAnswerError };

/** Reads an answer to *create instance*: the id first, for errors were seen to carry one. */
export function readCreateAnswer(answer: RawAnswer): CreateReading {
  const { new_contract: id, instance_api_key } = createAnswerSchema.safeParse(answer.json).data ?? {};
  const isYes = answer.status >= 200 && answer.status < 300 && !saysNo(answer);
  if (isYes && id !== undefined) return { kind: "created", id, instanceApiKey: instance_api_key };
  if (isYes)
    return { kind: "refused", error: new UnexpectedAnswerError(createInstance.operation, "it has no instance id") };
  const error = refusalError(answer, { ...createInstance, route: "PUT /api/v0/asks/{offer_id}/" });
  return id === undefined ? { kind: "refused", error } : { kind: "unwanted", id, error };
}
