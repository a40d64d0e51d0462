import { type CallOptions, type ContextOf, call } from "../call.ts";
import { createVolume, type NewVolume } from "../endpoints/create-volume.ts";
import { deleteVolume } from "../endpoints/delete-volume.ts";
import type { FieldFilter } from "../schemas/offer-query.ts";
import type { Volume, VolumeOffer } from "../schemas/volume.ts";
import type { ServiceClient } from "../service-client.ts";
import { NotFoundError } from "../service-errors.ts";

/**
 * Volumes, which the specification names only in the body of *create instance*: a service of its
 * letter answers NotFoundError to all of these. Every method throws a ServiceError, NoAnswerError
 * or UnexpectedAnswerError.
 */
export class VolumeCalls {
  readonly #client: ServiceClient;
  readonly #context: ContextOf;

  constructor(client: ServiceClient, context: ContextOf) {
    this.#client = client;
    this.#context = context;
  }

  /** Room for volumes that meets all filters. */
  search(filters: Readonly<Record<string, FieldFilter>>, options?: CallOptions): Promise<VolumeOffer[]> {
    return this.#client.searchVolumes(filters, options);
  }

  /** The account's volumes. */
  list(options?: CallOptions): Promise<Volume[]> {
    return this.#client.listVolumes(options);
  }

  /** Makes a volume, which bills from now on; gives its id where the service tells it. */
  create(volume: NewVolume, options?: CallOptions): Promise<number | undefined> {
    return call(createVolume, volume, this.#context(options));
  }

  /**
   * Ends a volume and its bill: `deleted`, or `absent` when there is none. The service refuses
   * while an instance uses it.
   */
  async delete(id: number, options?: CallOptions): Promise<"deleted" | "absent"> {
    try {
      await call(deleteVolume, id, this.#context(options));
      return "deleted";
    } catch (error) {
      if (error instanceof NotFoundError && error.isOwnWord) return "absent";
      throw error;
    }
  }
}
