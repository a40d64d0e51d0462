import type { Clock } from "../time/clock.ts";
import { call } from "./call.ts";
import type { Connection } from "./connection.ts";
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
  readonly #connection: Connection;
  readonly #clock: Clock;

  constructor(connection: Connection, clock: Clock) {
    this.#connection = connection;
    this.#clock = clock;
  }

  /** Room for volumes that meets all filters. */
  search(filters: Readonly<Record<string, FieldFilter>>, signal?: AbortSignal): Promise<VolumeOffer[]> {
    return call(searchVolumes, filters, this.#context(signal));
  }

  /** The account's volumes. */
  list(signal?: AbortSignal): Promise<Volume[]> {
    return call(listVolumes, undefined, this.#context(signal));
  }

  /** Makes a volume, which bills from now on; gives its id where the service tells it. */
  create(volume: NewVolume, signal?: AbortSignal): Promise<number | undefined> {
    return call(createVolume, volume, this.#context(signal));
  }

  /** Ends a volume and its bill: `deleted`, or `absent` when there is none. The service refuses while an instance uses it. */
  async delete(id: number, signal?: AbortSignal): Promise<"deleted" | "absent"> {
    try {
      await call(deleteVolume, id, this.#context(signal));
      return "deleted";
    } catch (error) {
      if (error instanceof NotFoundError) return "absent";
      throw error;
    }
  }

  #context(signal: AbortSignal | undefined) {
    return { connection: this.#connection, clock: this.#clock, ...(signal ? { signal } : {}) };
  }
}
