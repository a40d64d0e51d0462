import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Reply, type UnderTest, underTest } from "../simulator/support/service.ts";
import { DIALECTS } from "./support/service-under-contract.ts";

/** What a request gets: status, the word of `error`, and how `msg` begins; a bare 200 where it is taken. */
type Row = readonly [what: string, request: string, body: unknown, observed: string, seed?: string];
/** The same for a part of a request. */
type Part<Given> = readonly [what: string, given: Given, observed: string, seed?: string];

const ID = 7_001_001;
const ONE = `/instances/${ID}/`;
const OFFER = "PUT /asks/12/";
const [MAKE, EDIT, DELETE] = ["POST /template/", "PUT /template/", "DELETE /template/"];
const OWN = "4e17788f74f075dd";
const SCENARIO = {
  offers: [11, 12].map((id) => ({ id, machine_id: 490 + id })),
  volumeOffers: [{ id: 71, machine_id: 501, disk_space: 100 }],
  volumes: [{ id: 81, machine_id: 999 }],
  templates: [{ id: 31, hash_id: OWN, name: "Ours", image: "x", creator_id: 50_210 }],
};

const LINK = { create_new: false, volume_id: 81 };
const NEW = { create_new: true, volume_id: 71, mount_path: "/data" };
const ARGS = "400 invalid_args: ";
const SEARCH = "400 invalid_request: ";
const NO_PATH = "404 not_found: There is no such path.";
const NO_INSTANCE = "404 no_such_instance: error 404/1240: no_such_instance Instance 9 not found.";
const NONE = "404 not_found: There is no instance 9.";
const NO_TEMPLATE = "404 not_found: error 404/3610: template not found.";
const NO_HASH = "404 invalid_args: error 404/3605: template with this hash_id not found.";
const NO_STATE = `${ARGS}state must be stopped or running`;

/** A field of a create, or what replaces it. */
const CREATES: Part<object>[] = [
  ["no image", { image: undefined }, `${ARGS}image or template_hash_id is required`],
  ["an unknown field", { gpu: 1 }, `${ARGS}Unrecognized key: "gpu"`],
  ["template_id instead of template_hash_id", { template_id: 31 }, `${ARGS}template_id is not valid here;`],
  ["template_id beside it", { template_id: 31, template_hash_id: OWN }, `${ARGS}template_id is not valid`],
  ["a template that nobody has", { template_hash_id: "none" }, NO_HASH, `${ARGS}template_hash_id: no such template`],
  ["env as a flag string", { env: "-e A=b -p 80:80" }, `${ARGS}env: `],
  ["an env key that is no name", { env: { "A B": "c" } }, `${ARGS}env.A B: `],
  ["a port mapping with another value", { env: { "-p 80:80": "8000" } }, `${ARGS}env: the value of a port`],
  ["an onstart that is too long", { onstart: "x".repeat(4049) }, `${ARGS}onstart: Too big: expected string`],
  ["an unknown runtype", { runtype: "docker" }, `${ARGS}runtype: `],
  ["image_login of another form", { image_login: "docker.io -u me -p x" }, `${ARGS}image_login: `],
  ["a disk that the offer has no room for", { disk: 421 }, `${ARGS}disk 421 GB exceeds 420 GB of the offer`],
  ["a price of nothing", { price: 0 }, "400 invalid_price: price: ", "400 invalid_price: error 400/3731: the bid for"],
  ["a volume without a path", { volume_info: LINK }, `${ARGS}volume_info.mount`],
  ["a new volume without a size", { volume_info: NEW }, `${ARGS}volume_info: size is needed with create_new`],
];

/** A query of a search for offers. */
const SEARCHES: Part<object>[] = [
  ["an unknown key", { gpu: { eq: "RTX 4090" } }, `${SEARCH}gpu is not a valid search key`],
  ["a key that every object has", { constructor: { eq: 1 } }, `${SEARCH}constructor is not a valid search key`],
  ["an unknown operator", { num_gpus: { is: 1 } }, `${SEARCH}is is not a valid search op`],
  ["null", { num_gpus: { eq: null } }, `${SEARCH}query values can't be None`],
  ["a number as a text", { num_gpus: { eq: "1" } }, "200", `${SEARCH}num_gpus takes a number`],
  ["notin", { gpu_name: { notin: ["RTX 4090"] } }, "200", `${SEARCH}notin is not a valid search op`],
  ["lte", { dph_total: { lte: 0.6 } }, "200", `${SEARCH}lte is not a valid search op`],
  ["an unknown type", { type: "spot" }, `${SEARCH}type must be on-demand or bid`],
  ["asc", { order: [["dph_total", "asc"]] }, "200", `${SEARCH}asc is not a valid order`],
  ["allocated_storage", { allocated_storage: 32 }, "200", `${SEARCH}allocated_storage is not a valid search key`],
  ["disable_bundling", { disable_bundling: true }, "200", `${SEARCH}disable_bundling is not a valid search key`],
];

/** A field of a new template, or what replaces it. */
const TEMPLATES: Part<object>[] = [
  ["no name", { name: undefined }, `${ARGS}name: `],
  ["no image", { image: undefined }, `${ARGS}image: `],
  ["a runtype of an instance", { runtype: "ssh_direct" }, `${ARGS}runtype: `],
  ["env as an object", { env: { A: "1" } }, `${ARGS}env: `],
  ["an unknown field", { disk: 8 }, `${ARGS}Unrecognized key: "disk"`],
  ["no docker_login_repo", { docker_login_repo: undefined }, "200", `${ARGS}docker_login_repo: `],
  ["no docker_login_user", { docker_login_user: undefined }, "200", `${ARGS}docker_login_user: `],
  ["no docker_login_pass", { docker_login_pass: undefined }, "200", `${ARGS}docker_login_pass: `],
  ["an image with its tag", { image: "debian:13" }, "200", `${ARGS}image: the tag belongs in tag`],
  ["null", { desc: null }, "200", `${ARGS}desc: `],
  ["a disk as a text", { recommended_disk_space: "20" }, "200", `${ARGS}recommended_disk_space: `],
];

/** A filter of a search for templates. */
const FILTERS: Part<unknown>[] = [
  ["a field that can't be filtered", { env: { eq: "" } }, `${SEARCH}env is not a valid search key`],
  ["free text", "pytorch", `${SEARCH}select_filters can't be read`],
  ["an operator that there is not", { name: { like: "py" } }, `${SEARCH}like is not a valid search op`],
  ["a value of another type", { name: { eq: 7 } }, `${SEARCH}name takes a string`],
  ["a value without operator", { name: "a" }, `${SEARCH}select_filters can't be read`],
  ["a number as a text", { id: { eq: "31" } }, "200", `${SEARCH}id takes a number`],
];

/** A query of the list in pages, which the letter does not have. */
const LISTS: [query: string, observed: string][] = [
  ['select_filters={"num_gpus":{"eq":1}}', `${SEARCH}num_gpus is not a valid search key`],
  ['select_filters={"label":{"like":"x"}}', `${SEARCH}like is not a valid search op`],
  ["limit=few", `${SEARCH}limit must be an integer`],
  ["after_token=xyz", "400 invalid_token: after_token can't be read"],
];

const PLAIN = { name: "a", image: "b", docker_login_repo: "", docker_login_user: "", docker_login_pass: "" };
const IMAGE = { image: "a" };
const BID = { client_id: "me", price: 1 };

const ROWS: Row[] = [
  ...CREATES.map(([what, body, ...said]): Row => [`create: ${what}`, OFFER, { image: "a:1", ...body }, ...said]),
  ["create: no such offer", "PUT /asks/99/", IMAGE, "404 invalid_args: error 404/3603", "404 not_found: Offer"],
  ["create: a taken offer", "PUT /asks/11/", IMAGE, "410 no_such_ask: error 410/3907", "404 not_found: Offer"],
  ["create: no JSON", OFFER, "{image", `${SEARCH}the body must be a JSON object`],
  ...SEARCHES.map(([what, query, ...said]): Row => [`search: ${what}`, "POST /bundles/", query, ...said]),
  ["get: none", "GET /instances/9/", undefined, "200", NONE],
  ["destroy: with a body", `DELETE ${ONE}`, { force: true }, `${ARGS}destroy takes no body`],
  ["destroy: none", "DELETE /instances/9/", undefined, NO_INSTANCE, NONE],
  ["change: nothing", `PUT ${ONE}`, {}, NO_STATE],
  ["change: a state that there is not", `PUT ${ONE}`, { state: "paused" }, NO_STATE],
  ["change: a label", `PUT ${ONE}`, { label: "b" }, "200", NO_STATE],
  ["reboot: none", "PUT /instances/reboot/9/", {}, NO_INSTANCE, NO_PATH],
  ["bid: on demand", `PUT /instances/bid_price/${ID}/`, BID, `${ARGS}not an inter`, NO_PATH],
  ["charges: no days", "GET /charges/", undefined, `${ARGS}Must provide both 'day'`, NO_PATH],
  ...TEMPLATES.map(([what, body, ...said]): Row => [`template: ${what}`, MAKE, { ...PLAIN, ...body }, ...said]),
  ["edit: no hash", EDIT, { name: "x" }, `${ARGS}hash_id is missing`],
  ["edit: the id beside the hash", EDIT, { hash_id: OWN, id: 31 }, `${ARGS}id is not valid here`],
  ["edit: an unknown field", EDIT, { hash_id: OWN, disk: 8 }, `${ARGS}Unrecognized key: "disk"`],
  ["edit: an empty runtype", EDIT, { hash_id: OWN, runtype: "" }, "200", `${ARGS}runtype: `],
  ["delete: a template by a text", DELETE, { template_id: "31" }, `${ARGS}template_id must be a number`],
  ["delete: a template by a hash", DELETE, { hash_id: "none" }, NO_TEMPLATE, `${ARGS}template_id must be`],
  ...FILTERS.map(([what, filters, ...said]): Row => {
    const request = `GET /template/?select_filters=${encodeURIComponent(JSON.stringify(filters))}`;
    return [`template search: ${what}`, request, undefined, ...said];
  }),
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

  test.each(LISTS)("the list in pages for %s, which the letter does not have", async (query, expected) => {
    const reply = await service.call("GET", `/api/v1/instances/?${encodeURI(query)}`);
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
