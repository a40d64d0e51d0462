import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Reply, type UnderTest, underTest } from "../simulator/support/service.ts";
import { DIALECTS } from "./support/service-under-contract.ts";

/** What a request gets: status, the word of `error`, and how `msg` begins; a bare 200 where it is taken. */
type Row = readonly [what: string, request: string, body: unknown, observed: string, seed?: string];

const ID = 7_001_001;
const ONE = `/instances/${ID}/`;
const LOGS = `/instances/request_logs/${ID}/`;
const OFFER = "PUT /asks/12/";
const [MAKE, EDIT, DELETE] = ["POST /template/", "PUT /template/", "DELETE /template/"];
const [OWN, THEIRS] = ["4e17788f74f075dd", "0123456789abcdef"];
const SCENARIO = {
  offers: [11, 12].map((id) => ({ id, machine_id: 490 + id })),
  volumeOffers: [{ id: 71, machine_id: 501, disk_space: 100 }],
  volumes: [{ id: 81, machine_id: 999 }],
  templates: [
    { id: 31, hash_id: OWN, name: "Ours", image: "x", creator_id: 50_210 },
    { id: 40, hash_id: THEIRS, name: "Theirs", image: "theirs", creator_id: 7, private: false },
  ],
};

const LINK = { create_new: false, volume_id: 81, mount_path: "/data" };
const NEW = { create_new: true, volume_id: 71, mount_path: "/data" };
const PORTS = Object.fromEntries(Array.from({ length: 65 }, (_none, port) => [`-p ${port + 1}:${port + 1}`, "1"]));
const NO_PATH = "404 not_found: There is no such path.";
const NO_INSTANCE = "404 no_such_instance: error 404/1240: no_such_instance Instance 9 not found.";
const NONE = "404 not_found: There is no instance 9.";
const NO_TEMPLATE = "404 not_found: error 404/3610: template not found.";
const NOT_OURS = "403 not_authorized: Only its creator may change a template.";
const NO_STATE = "400 invalid_args: state must be stopped or running";

/** A field of a create, or what replaces it. */
const CREATES: [what: string, body: object, observed: string, seed?: string][] = [
  ["no image", { image: undefined }, "400 invalid_args: image or template_hash_id is required"],
  ["an unknown field", { gpu: 1 }, '400 invalid_args: Unrecognized key: "gpu"'],
  ["template_id instead of template_hash_id", { template_id: 31 }, "400 invalid_args: template_id is not valid here;"],
  ["template_id beside it", { template_id: 31, template_hash_id: OWN }, "400 invalid_args: template_id is not valid"],
  [
    "a template that nobody has",
    { template_hash_id: "none" },
    "404 invalid_args: error 404/3605: template with this hash_id not found.",
    "400 invalid_args: template_hash_id: no such template",
  ],
  ["env as a flag string", { env: "-e A=b -p 80:80" }, "400 invalid_args: env: "],
  ["an env value that is no string", { env: { A: 1 } }, "400 invalid_args: env.A: "],
  ["an env key that is no name", { env: { "A B": "c" } }, "400 invalid_args: env.A B: "],
  ["65 ports", { env: PORTS }, "400 invalid_args: env: env maps more than 64 ports"],
  ["a port mapping with another value", { env: { "-p 80:80": "8000" } }, "400 invalid_args: env: the value of a port"],
  ["a port mapping without its flag", { env: { "80:80": "1" } }, "400 invalid_args: env.80:80: "],
  ["an onstart that is too long", { onstart: "x".repeat(4049) }, "400 invalid_args: onstart: Too big: expected string"],
  ["an unknown runtype", { runtype: "docker" }, "400 invalid_args: runtype: "],
  ["an unknown target_state", { target_state: "paused" }, "400 invalid_args: target_state: "],
  ["image_login of another form", { image_login: "user:token" }, "400 invalid_args: image_login: "],
  ["image_login in another order", { image_login: "docker.io -u me -p x" }, "400 invalid_args: image_login: "],
  ["a disk that the offer has no room for", { disk: 421 }, "400 invalid_args: disk 421 GB exceeds 420 GB of the offer"],
  ["use_jupyter_lab as a text", { use_jupyter_lab: "yes" }, "400 invalid_args: use_jupyter_lab: "],
  ["jupyter_dir as a number", { jupyter_dir: 1 }, "400 invalid_args: jupyter_dir: "],
  ["vm as a text", { vm: "true" }, "400 invalid_args: vm: "],
  ["price as a text", { price: "0.3" }, "400 invalid_price: price: "],
  [
    "a price of nothing",
    { price: 0 },
    "400 invalid_price: price: ",
    "400 invalid_price: error 400/3731: the bid for 12",
  ],
  [
    "a volume without a path",
    { volume_info: { ...LINK, mount_path: undefined } },
    "400 invalid_args: volume_info.mount",
  ],
  [
    "a new volume without a size",
    { volume_info: NEW },
    "400 invalid_args: volume_info: size is needed with create_new",
  ],
  [
    "a volume's number as a text",
    { volume_info: { ...LINK, volume_id: "81" } },
    "400 invalid_args: volume_info.volume",
  ],
  [
    "an unknown field of a volume",
    { volume_info: { ...LINK, disk: 1 } },
    "400 invalid_args: volume_info: Unrecognized",
  ],
  ["a volume of another machine", { volume_info: LINK }, "400 invalid_args: volume 81 is on machine 999"],
  ["a volume that nobody has", { volume_info: { ...LINK, volume_id: 9 } }, "404 no_such_volume: There is no volume 9."],
  [
    "a new volume on another machine",
    { volume_info: { ...NEW, size: 30 } },
    "400 invalid_args: volume 71 is on machine",
  ],
];

/** A query of a search for offers. */
const SEARCHES: [query: object, observed: string, seed?: string][] = [
  [{ gpu: { eq: "RTX 4090" } }, "400 invalid_request: gpu is not a valid search key"],
  [{ constructor: { eq: 1 } }, "400 invalid_request: constructor is not a valid search key"],
  [{ num_gpus: { is: 1 } }, "400 invalid_request: is is not a valid search op"],
  [{ num_gpus: null }, "400 invalid_request: query values can't be None"],
  [{ num_gpus: { eq: null } }, "400 invalid_request: query values can't be None"],
  [{ num_gpus: 1 }, "400 invalid_request: num_gpus must be an object of operators"],
  [{ num_gpus: { eq: "two" } }, "400 invalid_request: num_gpus takes a number"],
  [{ num_gpus: { eq: "1" } }, "200", "400 invalid_request: num_gpus takes a number"],
  [{ gpu_name: { in: "RTX 4090" } }, "400 invalid_request: in takes an array"],
  [{ gpu_name: { notin: ["RTX 4090"] } }, "200", "400 invalid_request: notin is not a valid search op"],
  [{ dph_total: { lte: 0.6 } }, "200", "400 invalid_request: lte is not a valid search op"],
  [{ type: "spot" }, "400 invalid_request: type must be on-demand or bid"],
  [{ limit: "many" }, "400 invalid_request: limit must be a number"],
  [{ order: [["dph_total", "up"]] }, "400 invalid_request: up is not a valid order"],
  [{ order: [["dph_total", "asc"]] }, "200", "400 invalid_request: asc is not a valid order"],
  [{ order: [["price", "desc"]] }, "400 invalid_request: price is not a valid search key"],
  [{ order: "dph_total" }, "400 invalid_request: order must be an array of pairs"],
  [{ allocated_storage: 32 }, "200", "400 invalid_request: allocated_storage is not a valid search key"],
  [{ disable_bundling: true }, "200", "400 invalid_request: disable_bundling is not a valid search key"],
  [
    { template_id: 99 },
    "400 invalid_request: template_id: no such template",
    "400 invalid_request: template_id is not",
  ],
];

/** A query of the list in pages, which the letter does not have. */
const LISTS: [query: Record<string, unknown>, observed: string][] = [
  [{ select_filters: { dph_total: { lte: 1 } } }, "400 invalid_request: dph_total is not a valid search key"],
  [{ select_filters: { num_gpus: { eq: 1 } } }, "400 invalid_request: num_gpus is not a valid search key"],
  [{ select_filters: { label: { like: "x" } } }, "400 invalid_request: like is not a valid search op"],
  [{ select_filters: "{label" }, "400 invalid_request: select_filters can't be read"],
  [{ order_by: "label" }, "400 invalid_request: order_by can't be read"],
  [{ limit: "few" }, "400 invalid_request: limit must be an integer"],
  [{ after_token: "xyz" }, "400 invalid_token: after_token can't be read"],
];

/** A field of a new template, or what replaces it. */
const TEMPLATES: [what: string, body: object, observed: string, seed?: string][] = [
  ["no name", { name: undefined }, "400 invalid_args: name: "],
  ["an empty name", { name: "" }, "400 invalid_args: name: "],
  ["no image", { image: undefined }, "400 invalid_args: image: "],
  ["a runtype of an instance", { runtype: "ssh_direct" }, "400 invalid_args: runtype: "],
  ["env as an object", { env: { A: "1" } }, "400 invalid_args: env: "],
  ["filters as a list", { extra_filters: [] }, "400 invalid_args: extra_filters: "],
  ["an unknown field", { disk: 8 }, '400 invalid_args: Unrecognized key: "disk"'],
  ["volume_info as a text", { volume_info: "none" }, "400 invalid_args: volume_info: "],
  ["no docker_login_repo", { docker_login_repo: undefined }, "200", "400 invalid_args: docker_login_repo: "],
  ["no docker_login_user", { docker_login_user: undefined }, "200", "400 invalid_args: docker_login_user: "],
  ["no docker_login_pass", { docker_login_pass: undefined }, "200", "400 invalid_args: docker_login_pass: "],
  ["an image with its tag", { image: "debian:13" }, "200", "400 invalid_args: image: the tag belongs in tag"],
  ["null", { desc: null }, "200", "400 invalid_args: desc: "],
  ["a disk as a text", { recommended_disk_space: "20" }, "200", "400 invalid_args: recommended_disk_space: "],
];

/** A filter of a search for templates. */
const FILTERS: [what: string, filters: unknown, observed: string, seed?: string][] = [
  ["a field that can't be filtered", { env: { eq: "" } }, "400 invalid_request: env is not a valid search key"],
  ["such a field, without an operator", { env: {} }, "400 invalid_request: env is not a valid search key"],
  ["free text", "pytorch", "400 invalid_request: select_filters can't be read"],
  ["an operator that there is not", { name: { like: "py" } }, "400 invalid_request: like is not a valid search op"],
  ["a value of another type", { name: { eq: 7 } }, "400 invalid_request: name takes a string"],
  ["null", { name: { eq: null } }, "400 invalid_request: query values can't be None"],
  ["a list for eq", { name: { eq: ["a"] } }, "400 invalid_request: name takes a string"],
  ["a text for in", { name: { in: "a" } }, "400 invalid_request: in takes an array"],
  ["a value without operator", { name: "a" }, "400 invalid_request: select_filters can't be read"],
  ["a number as a text", { id: { eq: "31" } }, "200", "400 invalid_request: id takes a number"],
];

/** Requests that the letter of the seed has no path for. */
const OBSERVED_ONLY: [what: string, request: string, body: unknown, said: string][] = [
  ["search: no q at the other address", "PUT /search/asks/", {}, "400 invalid_request: q is needed"],
  ["stop: several, one of which is none", "PUT /instances/", { ids: [ID, 9], state: "stopped" }, NO_INSTANCE],
  ["change: several, to no state", "PUT /instances/", { ids: [ID], state: "paused" }, "400 invalid_args: ids"],
  ["destroy: several, one of which is none", "DELETE /instances/", { instance_ids: [ID, 9] }, NO_INSTANCE],
  ["reboot: none", "PUT /instances/reboot/9/", {}, NO_INSTANCE],
  ["recycle: none", "PUT /instances/recycle/9/", {}, NO_INSTANCE],
  [
    "bid: on demand",
    `PUT /instances/bid_price/${ID}/`,
    { client_id: "me", price: 1 },
    "400 invalid_args: not an inter",
  ],
  ["logs: a tail that is no text", `PUT ${LOGS}`, { tail: 20 }, "400 invalid_args: tail must be a number in a text"],
  ["logs: more than that", `PUT ${LOGS}`, { tail: "20", lines: "all" }, "400 invalid_args: tail"],
  ["charges: no days", "GET /charges/?select_filters={}", undefined, "400 invalid_args: Must provide both 'day'"],
  ["volumes: the list", "GET /volumes/", undefined, "200"],
  ["volumes: an unknown filter", "POST /volumes/search/", { invented: { eq: 1 } }, "400 invalid_request: invented"],
  ["volumes: no such room", "PUT /volumes/", { id: 1, size: 5 }, "404 no_such_ask: Volume offer 1 is not available."],
  ["volumes: a delete of none", "DELETE /volumes/?id=1", undefined, "404 no_such_volume: There is no volume 1."],
  ["SSH keys: the list", "GET /ssh/", undefined, "200"],
  ["SSH keys: one for no instance", "POST /instances/9/ssh/", { ssh_key: "ssh-ed25519 AAAA x" }, NO_INSTANCE],
];

const PLAIN = { name: "a", image: "b", docker_login_repo: "", docker_login_user: "", docker_login_pass: "" };
const text = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
const inQuery = (query: object) =>
  new URLSearchParams(Object.entries(query).map(([name, value]): [string, string] => [name, text(value)]));

const ROWS: Row[] = [
  ...CREATES.map(([what, body, ...said]): Row => [`create: ${what}`, OFFER, { image: "a:1", ...body }, ...said]),
  [
    "create: no such offer",
    "PUT /asks/99/",
    { image: "a" },
    "404 invalid_args: error 404/3603",
    "404 not_found: Offer",
  ],
  ["create: a taken offer", "PUT /asks/11/", { image: "a" }, "410 no_such_ask: error 410/3907", "404 not_found: Offer"],
  ["create: no JSON", OFFER, "{image", "400 invalid_request: the body must be a JSON object"],
  ["create: a list", OFFER, "[]", "400 invalid_request: the body must be a JSON object"],
  ...SEARCHES.map(([query, ...said]): Row => [`search ${JSON.stringify(query)}`, "POST /bundles/", query, ...said]),
  ["get: none", "GET /instances/9/", undefined, "200", NONE],
  ["destroy: with a body", `DELETE ${ONE}`, { force: true }, "400 invalid_args: destroy takes no body"],
  ["destroy: none", "DELETE /instances/9/", undefined, NO_INSTANCE, NONE],
  ["stop: none", "PUT /instances/9/", { state: "stopped" }, NO_INSTANCE, NONE],
  ["change: nothing", `PUT ${ONE}`, {}, NO_STATE],
  ["change: a state that there is not", `PUT ${ONE}`, { state: "paused" }, NO_STATE],
  ["change: a label that is none", `PUT ${ONE}`, { label: 5 }, NO_STATE],
  ["change: a label", `PUT ${ONE}`, { label: "b" }, "200", NO_STATE],
  ["change: more than the label", `PUT ${ONE}`, { label: "b", colour: "red" }, NO_STATE],
  ...OBSERVED_ONLY.map((row): Row => [...row, NO_PATH]),
  ...TEMPLATES.map(([what, body, ...said]): Row => [`template: ${what}`, MAKE, { ...PLAIN, ...body }, ...said]),
  ["edit: no hash", EDIT, { name: "x" }, "400 invalid_args: hash_id is missing"],
  ["edit: the number for the hash", EDIT, { hash_id: 31, name: "x" }, "400 invalid_args: hash_id is missing"],
  ["edit: the id beside the hash", EDIT, { hash_id: OWN, id: 31 }, "400 invalid_args: id is not valid here"],
  ["edit: a value of another type", EDIT, { hash_id: OWN, use_ssh: "yes" }, "400 invalid_args: use_ssh: "],
  ["edit: an unknown field", EDIT, { hash_id: OWN, disk: 8 }, '400 invalid_args: Unrecognized key: "disk"'],
  ["edit: none", EDIT, { hash_id: "none", name: "x" }, NO_TEMPLATE],
  ["edit: somebody else's", EDIT, { hash_id: THEIRS, name: "Mine" }, NOT_OURS],
  ["edit: an empty runtype", EDIT, { hash_id: OWN, runtype: "" }, "200", "400 invalid_args: runtype: "],
  ["delete: no template", DELETE, { template_id: 99 }, NO_TEMPLATE],
  ["delete: a template by a text", DELETE, { template_id: "31" }, "400 invalid_args: template_id must be a number"],
  ["delete: nothing", DELETE, {}, "400 invalid_args: template_id must be a number"],
  ["delete: somebody else's template", DELETE, { template_id: 40 }, NOT_OURS],
  ["delete: a template by a hash", DELETE, { hash_id: "none" }, NO_TEMPLATE, "400 invalid_args: template_id must be"],
  ...FILTERS.map(([what, filters, ...said]): Row => {
    const request = `GET /template/?select_filters=${encodeURIComponent(JSON.stringify(filters))}`;
    return [`template search: ${what}`, request, undefined, ...said];
  }),
  [
    "template search: another key",
    "GET /template/?select_cols=[]",
    undefined,
    "200",
    "400 invalid_request: select_cols",
  ],
];

describe.each(DIALECTS)("dialect %s", (dialect) => {
  let service: UnderTest;
  beforeAll(async () => {
    service = await underTest({ dialect, scenario: SCENARIO });
    await service.create(11);
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const ask = (request: string, body?: unknown) => {
    const [method = "", path = ""] = request.split(/ (.*)/s);
    return service.call(method, `/api/v0${path}`, body);
  };
  const shown = async () => {
    const made = service.sim.instances().map(({ id, label, events }) => [id, label, events]);
    return JSON.stringify([made, (await ask("GET /template/")).text]);
  };
  const said = ({ status, body }: Reply) =>
    status === 200 ? "200" : `${status} ${Object(body).error}: ${Object(body).msg}`;

  test.each(ROWS)("%s: taken, or refused without an effect", async (...row) => {
    const [, request, body, observed, seed] = row as unknown as Row;
    const expected = dialect === "seed" && seed !== undefined ? seed : observed;
    const before = await shown();
    const reply = await ask(request, body);
    expect(said(reply).slice(0, expected.length)).toBe(expected);
    if (expected !== "200") expect([Object(reply.body).success, await shown()]).toEqual([false, before]);
  });

  test.each(LISTS)("the list in pages for %j, which the letter does not have", async (query, expected) => {
    const reply = await service.call("GET", `/api/v1/instances/?${inQuery(query)}`);
    expect(said(reply)).toBe(dialect === "seed" ? NO_PATH : expected);
  });

  test("a create without the JSON content type is refused", async () => {
    const headers = { authorization: `Bearer ${service.sim.apiKey}` };
    const init = { method: "PUT", headers, body: JSON.stringify({ image: "a:1" }) };
    expect((await fetch(`${service.sim.url}/api/v0/asks/12/`, init)).status).toBe(400);
    expect(service.sim.instances()).toHaveLength(1);
  });
});

test.each([
  ["a field of the official client", { client_id: "me", user: null, force: false, extra: null }],
  ["nulls", { label: null, price: null, onstart: null, image_login: null, template_hash_id: null, jupyter_dir: null }],
  ["args", { args: ["-c"] }],
  ["its runtype", { runtype: "ssh_direc ssh_proxy" }],
  ["flags in env", { env: { A: "b", "-h": "bob", "-v /a:/b": "1", "-p 70000:70000/udp": "1" } }],
])(
  "create: what the official client sends is taken as observed, and refused by the letter: %s",
  async (_what, body) => {
    await using observed = await underTest();
    await observed.create(11, body);
    await using seed = await underTest({ dialect: "seed" });
    expect((await seed.call("PUT", "/api/v0/asks/11/", { image: "a:1", ...body })).status).toBe(400);
  },
);

test("a kind of offers that is not imitated is answered 501, and marked", async () => {
  await using service = await underTest();
  expect((await service.call("POST", "/api/v0/bundles/", { type: "reserved" })).status).toBe(501);
  expect(service.sim.journal.strays()).toHaveLength(1);
});
