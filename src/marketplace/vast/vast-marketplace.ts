import { NotFoundError, RequestRejectedError, refusalOf } from "../errors.ts";
import type { Marketplace } from "../marketplace.ts";
import { judgeCreate } from "./refusals.ts";
import { permissionsOf } from "./schemas.ts";
import type { ServiceClient } from "./service-client.ts";
import { configOf, instanceOf, offerOf, seedQuery, templateOf, wireQuery } from "./translate.ts";

/** The permissions that renting needs in addition to those that its reads prove. */
const NEEDED = ["instance_write"];

/** The rental service as a marketplace. */
export class VastMarketplace implements Marketplace {
  readonly #client: ServiceClient;

  constructor(client: ServiceClient) {
    this.#client = client;
  }

  get aheadMs(): number | undefined {
    return this.#client.aheadMs;
  }

  /**
   * Searches offers; after a 400 with only what the specification shows. SPEC-SILENT: all operators. A 400 about the
   * user's filter is thrown: without that filter the wrong offers would be judged.
   */
  readonly search: Marketplace["search"] = async (query, options) => {
    const wire = wireQuery(query);
    const read = async (asked: typeof wire) =>
      (await this.#client.searchOffers(asked, options)).map((offer) => offerOf(offer, query.diskGb));
    try {
      return { offers: await read(wire) };
    } catch (error) {
      if (!(error instanceof RequestRejectedError) || error.status !== 400) throw error;
      if (error.sentence.split(/\W+/).some((word) => query.given.includes(word))) throw error;
      const plain = seedQuery(wire);
      const offers = await read(plain);
      const fields = Object.keys(wire.filters).filter((field) => !Object.hasOwn(plain.filters, field));
      return fields.length === 0 ? { offers } : { offers, plainer: { fields, refusal: error.refusal } };
    }
  };

  readonly create: Marketplace["create"] = async (order, signals) => {
    try {
      return judgeCreate(await this.#client.createInstance(order.offerId, configOf(order), signals));
    } catch (error) {
      const refusal = refusalOf(error);
      // A signal's reason, or a fault of ours.
      if (refusal === undefined) throw error;
      return { kind: "uncertain", refusal };
    }
  };

  readonly list: Marketplace["list"] = async (options, label) =>
    (await this.#client.listInstances(options, label)).map(instanceOf);

  readonly get: Marketplace["get"] = async (id, options) => {
    const wire = await this.#client.getInstance(id, options);
    return wire === undefined ? "gone" : instanceOf(wire);
  };

  readonly destroy: Marketplace["destroy"] = async (id, options) =>
    (await this.#client.destroyInstance(id, options)) === "asked" ? "asked" : "gone";

  readonly logs: Marketplace["logs"] = ({ id, lines, log }, signal) =>
    this.#client.requestLogs({ id, tail: lines, log }, signal);

  readonly account: Marketplace["account"] = async (options) => {
    const { credit, key_id } = await this.#client.currentUser(options);
    return { creditUsd: credit, keyId: key_id };
  };

  readonly keyRights: Marketplace["keyRights"] = async ({ keyId }, options) => {
    if (keyId === undefined) return undefined;
    const permissions = permissionsOf(await this.#client.getApiKey(keyId, options));
    return permissions && { permissions, missing: NEEDED.filter((name) => !permissions.includes(name)) };
  };

  /** Finds the templates of a hash or a name. The service may ignore filters. Templates with one hash say the same: any will do. */
  readonly templates: Marketplace["templates"] = async (wanted, options) => {
    const filters = "hash" in wanted ? { hash_id: { eq: wanted.hash } } : { name: { eq: wanted.name } };
    const rows = (await this.#client.searchTemplates(filters, options)).map(templateOf);
    const meant = rows.filter(({ hash, name }) => ("hash" in wanted ? hash === wanted.hash : name === wanted.name));
    return [...new Map(meant.map((template) => [template.hash, template])).values()];
  };

  readonly volumePlace: Marketplace["volumePlace"] = async (volumeId, options) => {
    try {
      const volume = (await this.#client.listVolumes(options)).find(({ id }) => id === volumeId);
      return volume === undefined ? "unknown" : (volume.machine_id ?? "not-shown");
    } catch (error) {
      // A service of the specification's letter has no such address.
      if (!(error instanceof NotFoundError)) throw error;
      return "not-shown";
    }
  };

  [Symbol.asyncDispose](): Promise<void> {
    return this.#client[Symbol.asyncDispose]();
  }
}
