import { type CallContext, call, type Limits } from "./call.ts";
import { createVolume, type NewVolume } from "./endpoints/create-volume.ts";
import { deleteVolume } from "./endpoints/delete-volume.ts";
import { listVolumes } from "./endpoints/list-volumes.ts";
import { searchVolumes } from "./endpoints/search-volumes.ts";
import type { FieldFilter } from "./schemas/offer-query.ts";
import type { Volume, VolumeOffer } from "./schemas/volume.ts";
import { NotFoundError } from "./service-errors.ts";

/**
 * Volumes, which the specification names only in the body of *create instance*: a service of its letter answers NotFoundError to all of
 * these. Every method throws a ServiceError, NoAnswerError or UnexpectedAnswerError.
 */
export class VolumeCalls {
  readonly #context: (limits?: Limits) => CallContext;

  constructor(context: (limits?: Limits) => CallContext) {
    this.#context = context;
  }

  /** Room for volumes that meets all filters. */
  search(filters: Readonly<Record<string, FieldFilter>>, limits?: Limits): Promise<VolumeOffer[]> {
    return call(searchVolumes, filters, this.#context(limits));
  }

  /** The account's volumes. */
  list(limits?: Limits): Promise<Volume[]> {
    return call(listVolumes, undefined, this.#context(limits));
  }

  /** Makes a volume, which bills from now on; gives its id where the service tells it. */
  create(volume: NewVolume, limits?: Limits): Promise<number | undefined> {
    return call(createVolume, volume, this.#context(limits));
  }

  /** Ends a volume and its bill: `deleted`, or `absent` when there is none. The service refuses while an instance uses it. */
  async delete(id: number, limits?: Limits): Promise<"deleted" | "absent"> {
    try {
      await call(deleteVolume, id, this.#context(limits));
      return "deleted";
    } catch (error) {
      if (error instanceof NotFoundError) return "absent";
      throw error;
    }
  }
}
