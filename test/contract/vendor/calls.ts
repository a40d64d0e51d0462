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
  const { template }: { template: Things["template"] } = await made("POST", "/api/v0/template/", {
    name: "n",
    image: "i",
  });
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

/** All operations that the description and the simulator both have, by the description's names. */
export function callsOf(it: Things): Record<string, Asked> {
  return { ...instanceCalls(it), ...accountCalls(it), ...volumeCalls(it) };
}

function instanceCalls({ ssh, jupyter, interruptible }: Things): Record<string, Asked> {
  const one = `/api/v0/instances/${ssh}/`;
  const none = "/api/v0/instances/1/";
  const searched = (filters: object) => `/api/v1/instances/?select_filters=${json(JSON.stringify(filters))}`;
  return {
    searchOffers: {
      right: [["POST", "/api/v0/bundles/", { gpu_name: { eq: "RTX 4090" }, limit: 2 }]],
      wrong: [
        [400, ["POST", "/api/v0/bundles/", { invented: { eq: 1 } }]],
        [400, ["POST", "/api/v0/bundles/", { num_gpus: { like: 1 } }]],
        [400, ["POST", "/api/v0/bundles/", { num_gpus: null }]],
        [400, ["POST", "/api/v0/bundles/", { type: "what" }]],
        [400, ["POST", "/api/v0/bundles/", { order: [["dph_total", "what"]] }]],
      ],
    },
    createInstance: {
      right: [["PUT", "/api/v0/asks/15/", image]],
      wrong: [
        [404, ["PUT", "/api/v0/asks/99/", image]],
        [404, ["PUT", "/api/v0/asks/11/", { ...image, cancel_unavail: false }]],
        [410, ["PUT", "/api/v0/asks/14/", { ...image, cancel_unavail: true }]],
        [400, ["PUT", "/api/v0/asks/15/", { ...image, invented: true }]],
        [400, ["PUT", "/api/v0/asks/15/", { ...image, disk: 4 }]],
        [400, ["PUT", "/api/v0/asks/15/", {}]],
        [400, ["PUT", "/api/v0/asks/16/", { ...image, disk: 5000 }]],
        [400, ["PUT", "/api/v0/asks/16/", { template_id: 1 }]],
        [404, ["PUT", "/api/v0/asks/16/", { template_hash_id: "none" }]],
        // A volume of another machine, and one that never was.
        [400, ["PUT", "/api/v0/asks/16/", { ...image, volume_info: link }]],
        [404, ["PUT", "/api/v0/asks/16/", { ...image, volume_info: { ...link, volume_id: 1 } }]],
        // It makes a stopped instance all the same.
        [400, ["PUT", "/api/v0/asks/16/", { ...image, price: 0.01 }]],
      ],
    },
    showInstances: {
      right: [
        ["GET", "/api/v1/instances/"],
        ["GET", searched({ id: { eq: ssh } })],
      ],
      wrong: [
        [400, ["GET", searched({ dph_total: { eq: 1 } })]],
        [400, ["GET", "/api/v1/instances/?after_token=what"]],
      ],
    },
    showInstance: {
      right: [ssh, jupyter, 1].map((id) => ["GET", `/api/v0/instances/${id}/`]),
      wrong: [],
    },
    manageInstance: {
      right: [
        ["PUT", one, { state: "stopped" }],
        ["PUT", one, { label: "mine" }],
      ],
      wrong: [
        [400, ["PUT", one, { state: "what" }]],
        [400, ["PUT", one, { label: "x".repeat(2000) }]],
        [404, ["PUT", none, { state: "stopped" }]],
      ],
    },
    changeBid: {
      right: [["PUT", `/api/v0/instances/bid_price/${interruptible}/`, { client_id: "me", price: 0.4 }]],
      wrong: [
        [400, ["PUT", `/api/v0/instances/bid_price/${interruptible}/`, { client_id: "me", price: 0.01 }]],
        [400, ["PUT", `/api/v0/instances/bid_price/${ssh}/`, { client_id: "me", price: 0.4 }]],
        [404, ["PUT", "/api/v0/instances/bid_price/1/", { client_id: "me", price: 0.4 }]],
      ],
    },
    rebootInstance: {
      right: [["PUT", `/api/v0/instances/reboot/${jupyter}/`, {}]],
      wrong: [[404, ["PUT", "/api/v0/instances/reboot/1/", {}]]],
    },
    recycleInstance: {
      right: [["PUT", `/api/v0/instances/recycle/${jupyter}/`, {}]],
      wrong: [[404, ["PUT", "/api/v0/instances/recycle/1/", {}]]],
    },
    showLogs: {
      right: [["PUT", `/api/v0/instances/request_logs/${jupyter}/`, { tail: "10" }]],
      wrong: [
        [400, ["PUT", `/api/v0/instances/request_logs/${jupyter}/`, { tail: "what" }]],
        [404, ["PUT", "/api/v0/instances/request_logs/1/", { tail: "10" }]],
      ],
    },
    attachSshKey: {
      right: [["POST", `/api/v0/instances/${jupyter}/ssh/`, { ssh_key: KEY }]],
      wrong: [
        [400, ["POST", `/api/v0/instances/${jupyter}/ssh/`, {}]],
        [404, ["POST", "/api/v0/instances/1/ssh/", { ssh_key: KEY }]],
      ],
    },
    showSshKeys: {
      right: [["GET", `/api/v0/instances/${jupyter}/ssh/`]],
      wrong: [[404, ["GET", "/api/v0/instances/1/ssh/"]]],
    },
    detachSshKey: {
      // The account's first key, which every instance has.
      right: [["DELETE", `/api/v0/instances/${jupyter}/ssh/3001/`]],
      wrong: [
        [404, ["DELETE", `/api/v0/instances/${jupyter}/ssh/3001/`]],
        [404, ["DELETE", "/api/v0/instances/1/ssh/3001/"]],
      ],
    },
    destroyInstance: {
      right: [["DELETE", one, {}]],
      wrong: [
        [400, ["DELETE", `/api/v0/instances/${jupyter}/`, { invented: true }]],
        // The second time, and one that never was.
        [404, ["DELETE", one, {}]],
        [404, ["DELETE", none, {}]],
      ],
    },
  };
}

function accountCalls({ apiKey, sshKey, template }: Things): Record<string, Asked> {
  const range = json('{"day":{"gte":1,"lte":4000000000}}');
  const named = { name: "two", permissions: { api: { misc: {} } } };
  return {
    showUser: { right: [["GET", "/api/v0/users/current"]], wrong: [] },
    showCharges: {
      right: [["GET", `/api/v0/charges/?select_filters=${range}&format=table`]],
      wrong: [
        [400, ["GET", "/api/v0/charges/"]],
        [400, ["GET", `/api/v0/charges/?select_filters=${range}&after_token=what`]],
        [400, ["GET", `/api/v0/charges/?select_filters=${range}&limit=what`]],
      ],
    },
    createSshKey: {
      right: [["POST", "/api/v0/ssh/", { ssh_key: KEY }]],
      wrong: [[400, ["POST", "/api/v0/ssh/", {}]]],
    },
    getSshKeysUser: { right: [["GET", "/api/v0/ssh/"]], wrong: [] },
    updateSshKey: {
      right: [["PUT", `/api/v0/ssh/${sshKey}/`, { id: sshKey, ssh_key: KEY }]],
      wrong: [
        [400, ["PUT", `/api/v0/ssh/${sshKey}/`, { id: sshKey, ssh_key: "what" }]],
        [400, ["PUT", "/api/v0/ssh/1/", { id: 1, ssh_key: KEY }]],
      ],
    },
    deleteSshKey: {
      right: [["DELETE", `/api/v0/ssh/${sshKey}/`]],
      wrong: [[400, ["DELETE", `/api/v0/ssh/${sshKey}/`]]],
    },
    createApiKey: {
      right: [["POST", "/api/v0/auth/apikeys/", named]],
      wrong: [
        [400, ["POST", "/api/v0/auth/apikeys/", { ...named, permissions: { api: { invented: {} } } }]],
        [400, ["POST", "/api/v0/auth/apikeys/", { ...named, permissions: { api: {} } }]],
        [400, ["POST", "/api/v0/auth/apikeys/", { permissions: named.permissions }]],
      ],
    },
    showApiKeys: { right: [["GET", "/api/v0/auth/apikeys/"]], wrong: [] },
    showEnvVars: { right: [["GET", "/api/v0/secrets/"]], wrong: [] },
    deleteApiKey: {
      right: [["DELETE", `/api/v0/auth/apikeys/${apiKey}/`]],
      wrong: [
        [404, ["DELETE", `/api/v0/auth/apikeys/${apiKey}/`]],
        // The account's first.
        [400, ["DELETE", "/api/v0/auth/apikeys/9001/"]],
      ],
    },
    createTemplate: {
      right: [["POST", "/api/v0/template/", { name: "m", image: "i" }]],
      wrong: [[400, ["POST", "/api/v0/template/", { image: "i" }]]],
    },
    searchTemplates: {
      right: [["GET", "/api/v0/template/"]],
      wrong: [[400, ["GET", `/api/v0/template/?select_filters=${json('{"invented":{"eq":1}}')}`]]],
    },
    editTemplate: {
      right: [["PUT", "/api/v0/template/", { hash_id: template.hash_id, name: "other" }]],
      wrong: [
        [400, ["PUT", "/api/v0/template/", { name: "other" }]],
        [404, ["PUT", "/api/v0/template/", { hash_id: "none", name: "other" }]],
      ],
    },
    deleteTemplate: {
      right: [["DELETE", "/api/v0/template/", { template_id: template.id }]],
      wrong: [
        [400, ["DELETE", "/api/v0/template/", { template_id: "what" }]],
        [404, ["DELETE", "/api/v0/template/", { template_id: 1 }]],
      ],
    },
    showTeamMembers: { right: [["GET", "/api/v0/team/members/"]], wrong: [] },
    removeTeamMember: {
      right: [["DELETE", "/api/v0/team/members/5/"]],
      wrong: [
        [404, ["DELETE", "/api/v0/team/members/5/"]],
        [400, ["DELETE", "/api/v0/team/members/50210/"]],
      ],
    },
  };
}

function volumeCalls({ volume }: Things): Record<string, Asked> {
  return {
    searchVolumes: {
      right: [["POST", "/api/v0/volumes/search/", { disk_space: { gte: 10 } }]],
      wrong: [
        [400, ["POST", "/api/v0/volumes/search/", { invented: { eq: 1 } }]],
        [400, ["POST", "/api/v0/volumes/search/", { limit: "what" }]],
      ],
    },
    rentVolume: {
      right: [["PUT", "/api/v0/volumes/", { id: 5_040_015, size: 5 }]],
      wrong: [
        [400, ["PUT", "/api/v0/volumes/", { id: 5_040_015, size: 5_000_000 }]],
        [404, ["PUT", "/api/v0/volumes/", { id: 1, size: 5 }]],
      ],
    },
    listVolumes: { right: [["GET", "/api/v0/volumes?owner=me&type=all_volume"]], wrong: [] },
    deleteVolume: {
      right: [["DELETE", "/api/v0/volumes/?id=901"]],
      wrong: [
        [400, ["DELETE", "/api/v0/volumes/"]],
        // It is in use.
        [400, ["DELETE", `/api/v0/volumes/?id=${volume}`]],
        [404, ["DELETE", "/api/v0/volumes/?id=1"]],
      ],
    },
  };
}
