import { hasPrefix, readLabel } from "../machine/label.ts";
import type { Instance, Marketplace } from "../marketplace/marketplace.ts";
import { InstanceNotDestroyedError } from "./errors.ts";

/** What says that an instance is ours: a create's good answer, or its label. `claimed`: nothing yet. `foreign`: its label says that it is not. */
type Proof = "answered" | "labelled" | "claimed" | "foreign";

/** Why an instance is not destroyed that only its label could prove to be ours. */
const UNPROVEN = "nothing shows yet whose it is";

/** Says that an instance is left alone. */
export function describeForeign(id: number): string {
  return `Instance ${id} was named as one of this run, and its label says that it is not: it is left alone.`;
}

interface Owning {
  /** How the labels of this session begin. */
  prefix: string;
  /** Ids that only a label can prove to be ours. */
  claimed?: readonly number[];
  /** Called once for an id that was said to be ours, and is listed under another label. */
  onForeign: (id: number, machineNo: number | undefined) => void;
}

/**
 * Wraps a marketplace for one session, so that nothing of others is destroyed or shown: an id that a create's answer
 * named, and that is listed under another label, is gone for this session. One of a refused create's answer, or of a
 * note that main did not sign, is destroyed only once list or get showed our label.
 */
export function ownInstances(service: Marketplace, { claimed = [], onForeign, prefix }: Owning): Marketplace {
  const proofs = new Map<number, Proof>(claimed.map((id) => [id, "claimed"]));
  const machineNos = new Map<number, number | undefined>();
  const isForeign = ({ id, label }: Pick<Instance, "id" | "label">) => {
    const proof = proofs.get(id);
    if (proof === "answered" || proof === "claimed") {
      if (hasPrefix(label, prefix)) proofs.set(id, "labelled");
      else if (label) {
        proofs.set(id, "foreign");
        onForeign(id, machineNos.get(id));
      }
    }
    return proofs.get(id) === "foreign";
  };
  const get: Marketplace["get"] = async (id, options) => {
    const instance = await service.get(id, options);
    return instance === "gone" || isForeign(instance) ? "gone" : instance;
  };
  const own: Pick<Marketplace, "create" | "destroy" | "get" | "list" | "logs"> = {
    get,
    async create(order, signals) {
      const answer = await service.create(order, signals);
      if ((answer.kind === "created" || answer.kind === "unwanted") && !proofs.has(answer.instanceId)) {
        proofs.set(answer.instanceId, answer.kind === "created" ? "answered" : "claimed");
        machineNos.set(answer.instanceId, readLabel(order.label)?.machineNo);
      }
      return answer;
    },
    async list(options, label) {
      return (await service.list(options, label)).filter((instance) => !isForeign(instance));
    },
    async destroy(id, options) {
      if (proofs.get(id) === "claimed" && (await get(id, options)) === "gone") return "gone";
      if (proofs.get(id) === "foreign") return "gone";
      if (proofs.get(id) === "claimed") throw new InstanceNotDestroyedError(`Instance ${id}`, UNPROVEN);
      return await service.destroy(id, options);
    },
    async logs(request, signal) {
      const proof = proofs.get(request.id);
      return proof === "claimed" || proof === "foreign" ? "" : await service.logs(request, signal);
    },
  };
  return new Proxy(service, {
    get(target, name) {
      const value: unknown = Reflect.get(own, name) ?? Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
