import type { UnderTest } from "../../simulator/support/service.ts";

/** A request: method, path, body. */
export type Call = readonly [method: string, path: string, body?: unknown];

/** The things in the world that is asked about. */
export interface Things {
  /** On demand, by SSH. */
  readonly ssh: number;
  /** With Jupyter and a volume. */
  readonly jupyter: number;
  readonly interruptible: number;
  readonly apiKey: number;
  readonly sshKey: number;
  readonly template: { readonly id: number; readonly hash_id: string };
  readonly volume: number;
}

/** The world that is asked about: `gone` stands for an instance that never was. */
export const SCENARIO = {
  offers: [
    ...[11, 12, 15, 16, 17].map((id) => ({ id })),
    { id: 13, min_bid: 0.2 },
    { id: 14, simulate: { unavailable: true } },
  ],
  team: [{ id: 5, email: "five@example.com" }],
  volumes: [
    { id: 900, machine_id: 40_012 },
    { id: 901, machine_id: 40_013 },
  ],
};

const json = encodeURIComponent;
const KEY = "ssh-ed25519 AAAA you@example.com";
const image = { image: "debian:13" };
const link = { create_new: false, volume_id: 900, mount_path: "/data" };

/** Makes what the calls ask for, slowly enough for the service's limits. */
export async function makeThings(service: UnderTest): Promise<Things> {
  const made = async (...[method, path, body]: Call) => {
    service.clock.advance(6);
    return (await service.call(method, path, body)).body as never;
  };
  const rent = async (offer: number, more: object = {}) => {
    const body: { new_contract: number } = await made("PUT", `/api/v0/asks/${offer}/`, { ...image, ...more });
    return body.new_contract;
  };
  const content = { name: "n", image: "i" };
  const { template }: { template: Things["template"] } = await made("POST", "/api/v0/template/", content);
  const instances = {
    ssh: await rent(11, { template_hash_id: template.hash_id, label: "mine" }),
    jupyter: await rent(12, { runtype: "jupyter_direct", volume_info: link }),
    interruptible: await rent(13, { price: 0.3 }),
  };
  const named = { name: "one", permissions: { api: { misc: {} } } };
  const apiKey: { id: number } = await made("POST", "/api/v0/auth/apikeys/", named);
  const sshKey: { key: { id: number } } = await made("POST", "/api/v0/ssh/", { ssh_key: KEY });
  service.clock.advance(60);
  return { ...instances, apiKey: apiKey.id, sshKey: sshKey.key.id, template, volume: 900 };
}

/** One operation: calls that succeed, and wrong ones with the status that they get. */
export interface Asked {
  readonly right: readonly Call[];
  readonly wrong: readonly (readonly [status: number, call: Call])[];
}

/** A call of an operation, by the description's name, and the status that it gets. */
type Row = readonly [name: string, status: number, method: string, path: string, body?: unknown];

/** All operations that the description and the simulator both have, by the description's names. */
export function callsOf(it: Things): Record<string, Asked> {
  const groups = Map.groupBy([...instanceRows(it), ...accountRows(it), ...volumeRows(it)], ([name]) => name);
  return Object.fromEntries([...groups].map(([name, rows]) => [name, askedOf(rows)]));
}

function askedOf(rows: readonly Row[]): Asked {
  const calls = rows.map(([, status, method, path, body]): [number, Call] => {
    const whole = path.startsWith("/") ? path : `/api/v0/${path}`;
    return [status, [method, whole, body]];
  });
  const right = calls.filter(([status]) => status === 200).map(([, call]) => call);
  return { right, wrong: calls.filter(([status]) => status !== 200) };
}

function instanceRows({ ssh, jupyter, interruptible }: Things): Row[] {
  const one = `instances/${ssh}/`;
  const none = "instances/1/";
  const searched = (filters: object) => `/api/v1/instances/?select_filters=${json(JSON.stringify(filters))}`;
  const bid = (id: number) => `instances/bid_price/${id}/`;
  const price = { client_id: "me", price: 0.4 };
  const logs = `instances/request_logs/${jupyter}/`;
  const keys = `instances/${jupyter}/ssh/`;
  return [
    ["searchOffers", 200, "POST", "bundles/", { gpu_name: { eq: "RTX 4090" }, limit: 2 }],
    ["searchOffers", 400, "POST", "bundles/", { invented: { eq: 1 } }],
    ["searchOffers", 400, "POST", "bundles/", { type: "what" }],
    ["createInstance", 200, "PUT", "asks/15/", image],
    ["createInstance", 404, "PUT", "asks/99/", image],
    ["createInstance", 404, "PUT", "asks/11/", { ...image, cancel_unavail: false }],
    ["createInstance", 410, "PUT", "asks/14/", { ...image, cancel_unavail: true }],
    ["createInstance", 400, "PUT", "asks/15/", { ...image, invented: true }],
    ["createInstance", 400, "PUT", "asks/16/", { ...image, disk: 5000 }],
    ["createInstance", 404, "PUT", "asks/16/", { template_hash_id: "none" }],
    // A volume of another machine, and one that never was.
    ["createInstance", 400, "PUT", "asks/16/", { ...image, volume_info: link }],
    ["createInstance", 404, "PUT", "asks/16/", { ...image, volume_info: { ...link, volume_id: 1 } }],
    // It makes a stopped instance all the same.
    ["createInstance", 400, "PUT", "asks/16/", { ...image, price: 0.01 }],
    ["showInstances", 200, "GET", "/api/v1/instances/"],
    ["showInstances", 200, "GET", searched({ id: { eq: ssh } })],
    ["showInstances", 400, "GET", searched({ dph_total: { eq: 1 } })],
    ["showInstances", 400, "GET", "/api/v1/instances/?after_token=what"],
    ...[ssh, jupyter, 1].map((id): Row => ["showInstance", 200, "GET", `instances/${id}/`]),
    ["manageInstance", 200, "PUT", one, { state: "stopped" }],
    ["manageInstance", 200, "PUT", one, { label: "mine" }],
    ["manageInstance", 400, "PUT", one, { label: "x".repeat(2000) }],
    ["manageInstance", 404, "PUT", none, { state: "stopped" }],
    ["changeBid", 200, "PUT", bid(interruptible), price],
    ["changeBid", 400, "PUT", bid(interruptible), { ...price, price: 0.01 }],
    ["changeBid", 400, "PUT", bid(ssh), price],
    ["changeBid", 404, "PUT", bid(1), price],
    ["rebootInstance", 200, "PUT", `instances/reboot/${jupyter}/`, {}],
    ["rebootInstance", 404, "PUT", "instances/reboot/1/", {}],
    ["recycleInstance", 200, "PUT", `instances/recycle/${jupyter}/`, {}],
    ["recycleInstance", 404, "PUT", "instances/recycle/1/", {}],
    ["showLogs", 200, "PUT", logs, { tail: "10" }],
    ["showLogs", 400, "PUT", logs, { tail: "what" }],
    ["showLogs", 404, "PUT", "instances/request_logs/1/", { tail: "10" }],
    ["attachSshKey", 200, "POST", keys, { ssh_key: KEY }],
    ["attachSshKey", 400, "POST", keys, {}],
    ["attachSshKey", 404, "POST", "instances/1/ssh/", { ssh_key: KEY }],
    ["showSshKeys", 200, "GET", keys],
    ["showSshKeys", 404, "GET", "instances/1/ssh/"],
    // The account's first key, which every instance has.
    ["detachSshKey", 200, "DELETE", `${keys}3001/`],
    ["detachSshKey", 404, "DELETE", `${keys}3001/`],
    ["detachSshKey", 404, "DELETE", "instances/1/ssh/3001/"],
    ["destroyInstance", 200, "DELETE", one, {}],
    ["destroyInstance", 400, "DELETE", `instances/${jupyter}/`, { invented: true }],
    // The second time, and one that never was.
    ["destroyInstance", 404, "DELETE", one, {}],
    ["destroyInstance", 404, "DELETE", none, {}],
  ];
}

function accountRows({ apiKey, sshKey, template }: Things): Row[] {
  const charges = `charges/?select_filters=${json('{"day":{"gte":1,"lte":4000000000}}')}`;
  const named = { name: "two", permissions: { api: { misc: {} } } };
  const { hash_id, id } = template;
  return [
    ["showUser", 200, "GET", "users/current"],
    ["showCharges", 200, "GET", `${charges}&format=table`],
    ["showCharges", 400, "GET", "charges/"],
    ["showCharges", 400, "GET", `${charges}&after_token=what`],
    ["createSshKey", 200, "POST", "ssh/", { ssh_key: KEY }],
    ["createSshKey", 400, "POST", "ssh/", {}],
    ["getSshKeysUser", 200, "GET", "ssh/"],
    ["updateSshKey", 200, "PUT", `ssh/${sshKey}/`, { id: sshKey, ssh_key: KEY }],
    ["updateSshKey", 400, "PUT", "ssh/1/", { id: 1, ssh_key: KEY }],
    ["deleteSshKey", 200, "DELETE", `ssh/${sshKey}/`],
    ["deleteSshKey", 400, "DELETE", `ssh/${sshKey}/`],
    ["createApiKey", 200, "POST", "auth/apikeys/", named],
    ["createApiKey", 400, "POST", "auth/apikeys/", { ...named, permissions: { api: { invented: {} } } }],
    ["createApiKey", 400, "POST", "auth/apikeys/", { permissions: named.permissions }],
    ["showApiKeys", 200, "GET", "auth/apikeys/"],
    ["showEnvVars", 200, "GET", "secrets/"],
    ["deleteApiKey", 200, "DELETE", `auth/apikeys/${apiKey}/`],
    ["deleteApiKey", 404, "DELETE", `auth/apikeys/${apiKey}/`],
    // The account's first.
    ["deleteApiKey", 400, "DELETE", "auth/apikeys/9001/"],
    ["createTemplate", 200, "POST", "template/", { name: "m", image: "i" }],
    ["createTemplate", 400, "POST", "template/", { image: "i" }],
    ["searchTemplates", 200, "GET", "template/"],
    ["searchTemplates", 400, "GET", `template/?select_filters=${json('{"invented":{"eq":1}}')}`],
    ["editTemplate", 200, "PUT", "template/", { hash_id, name: "other" }],
    ["editTemplate", 400, "PUT", "template/", { name: "other" }],
    ["editTemplate", 404, "PUT", "template/", { hash_id: "none", name: "other" }],
    ["deleteTemplate", 200, "DELETE", "template/", { template_id: id }],
    ["deleteTemplate", 400, "DELETE", "template/", { template_id: "what" }],
    ["deleteTemplate", 404, "DELETE", "template/", { template_id: 1 }],
    ["showTeamMembers", 200, "GET", "team/members/"],
    ["removeTeamMember", 200, "DELETE", "team/members/5/"],
    ["removeTeamMember", 404, "DELETE", "team/members/5/"],
    ["removeTeamMember", 400, "DELETE", "team/members/50210/"],
  ];
}

function volumeRows({ volume }: Things): Row[] {
  return [
    ["searchVolumes", 200, "POST", "volumes/search/", { disk_space: { gte: 10 } }],
    ["searchVolumes", 400, "POST", "volumes/search/", { invented: { eq: 1 } }],
    ["rentVolume", 200, "PUT", "volumes/", { id: 5_040_015, size: 5 }],
    ["rentVolume", 400, "PUT", "volumes/", { id: 5_040_015, size: 5_000_000 }],
    ["rentVolume", 404, "PUT", "volumes/", { id: 1, size: 5 }],
    ["listVolumes", 200, "GET", "volumes?owner=me&type=all_volume"],
    ["deleteVolume", 200, "DELETE", "volumes/?id=901"],
    ["deleteVolume", 400, "DELETE", "volumes/"],
    // It is in use.
    ["deleteVolume", 400, "DELETE", `volumes/?id=${volume}`],
    ["deleteVolume", 404, "DELETE", "volumes/?id=1"],
  ];
}
