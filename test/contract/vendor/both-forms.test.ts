import { describe, expect, onTestFinished, test } from "vitest";
import type { AccountClient } from "../../../client/account.ts";
import { scaledClock } from "../../../simulator/clock/sim-clock.ts";
import { deliver } from "../../../simulator/http/deliver.ts";
import { readBody } from "../../../simulator/http/read-body.ts";
import { type Exchange, serveHttp } from "../../../simulator/http/serve-http.ts";
import { judgeCreate } from "../../../src/marketplace/vast/refusals.ts";
import { aConfig } from "../../unit/support/an-instance-config.ts";
import { rent, startContract } from "../support/service-under-contract.ts";
import { KNOWN_DIFFERENCES, type KnownDifference } from "./known-differences.ts";

/** A form of a field, and the operation whose answer has it; without a value it is not there. */
interface Form {
  readonly operation: string;
  readonly at: readonly string[];
  readonly value?: unknown;
  /** Fields that stand beside those that there are. */
  readonly more?: readonly string[];
  /** Fields that are not there. */
  readonly less?: readonly string[];
}

/** Forms that neither the description nor the simulator has: seen, or the vendor's elsewhere. */
const SEEN_ELSEWHERE: readonly Form[] = [
  { operation: "showInstances", at: ["instances", "*", "volume_info"], value: null },
  { operation: "showInstance", at: ["instances", "volume_info"], value: null },
  { operation: "showApiKeys", at: ["apikeys", "*", "rights"], value: ["misc"] },
  { operation: "showApiKeys", at: ["apikeys", "*", "permissions"], value: null },
];

/** The seed shows it of each template, whatever the description names. */
const PROMISED = "hash_id";

/** Answers of which our client reads nothing that differs, or that it never asks for. */
const UNREAD: Readonly<Record<string, string>> = {
  rebootInstance: "the client does not reboot",
  recycleInstance: "the client does not recycle",
  showCharges: "the client does not ask for charges",
};

const THEIR_OTHER_TYPE = KNOWN_DIFFERENCES.flatMap(({ operations, theirs }) =>
  theirs === undefined ? [] : operations.map((operation) => ({ operation, ...theirs })),
);
/** A service of the description's letter lacks what the description does not name. */
const UNNAMED = KNOWN_DIFFERENCES.flatMap(({ operations, says, isSketch }) =>
  operations.flatMap((operation) =>
    says.flatMap((sentence) => {
      const [, path] = /^\/(\S+) is not named$/.exec(sentence) ?? [];
      return path === undefined || isSketch ? [] : [{ operation, at: path.split("/") }];
    }),
  ),
);
/** And it has what the simulator lacks, whatever stands there. */
const UNSHOWN = KNOWN_DIFFERENCES.flatMap(({ operations, status, says }) => {
  const places = says.map((sentence) => /^\/(\S+) is never shown$/.exec(sentence)?.[1]?.split("/") ?? []);
  if (status !== 200 || places.flat().length === 0) return [];
  const [at, more] = [places[0]?.slice(0, -1) ?? [], places.map((place) => place.at(-1) ?? "")];
  return operations.map((operation) => ({ operation, at, more }));
});
/** And where it names few fields only, it has these alone. */
const SKETCHED = KNOWN_DIFFERENCES.filter(({ isSketch }) => isSketch).flatMap(({ operations, says }) => {
  const places = says.map((sentence) => /^\/(\S+) is not named$/.exec(sentence)?.[1]?.split("/") ?? []);
  const less = places.map((place) => place.at(-1) ?? "").filter((field) => field !== PROMISED);
  return operations.map((operation) => ({ operation, at: places[0]?.slice(0, -1) ?? [], less }));
});
const FORMS: readonly Form[] = [...THEIR_OTHER_TYPE, ...SEEN_ELSEWHERE, ...UNNAMED, ...UNSHOWN, ...SKETCHED].filter(
  ({ operation }) => !(operation in UNREAD),
);

/** Our client's readings, operation by operation, that must not depend on the form. */
const READ: Readonly<Record<string, (client: AccountClient, id: number) => Promise<unknown>>> = {
  showInstances: async (client) => (await client.listInstances()).map(essence),
  showInstance: async (client, id) => essence((await client.getInstance(id)) ?? {}),
  showApiKeys: async (client) => (await client.apiKeys.list()).map(({ id }) => id),
  listVolumes: async (client) => (await client.volumes.list()).map(({ id }) => id),
  searchVolumes: async (client) => (await client.volumes.search({})).map(({ id, disk_space }) => [id, disk_space]),
  rentVolume: async (client) => {
    const [room] = await client.volumes.search({});
    await client.volumes.create({ id: room?.id ?? 0, size: 9, name: "a" });
    return (await client.volumes.list()).some(({ label }) => label === "a");
  },
  createTemplate: async (client) => Object.keys(await client.templates.create(TEMPLATE)).includes("id"),
  editTemplate: async (client) => {
    const { hash_id } = await client.templates.create(TEMPLATE);
    return (await client.templates.edit(hash_id, { desc: "b" })).hash_id !== hash_id;
  },
  searchTemplates: async (client) => {
    const { hash_id } = await client.templates.create(TEMPLATE);
    return (await client.templates.search()).map((each) => each.hash_id).includes(hash_id);
  },
  createSshKey: async (client) => (await client.sshKeys.create("ssh-ed25519 AAAA new@example.com")).key,
  searchOffers: async (client) =>
    (await client.searchOffers({ filters: {}, type: "on-demand", order: [], limit: 3 })).map((each) => each.id),
  getSshKeysUser: (client) => client.sshKeys.list(),
  showUser: async (client) => ({ id: (await client.currentUser()).id }),
  destroyInstance: async (client) => {
    const verdict = judgeCreate(await client.createInstance(12, aConfig()));
    return verdict.kind === "created" ? await client.destroyInstance(verdict.instanceId) : verdict;
  },
  createInstance: async (client) => {
    const verdict = judgeCreate(await client.createInstance(12, aConfig()));
    if (verdict.kind === "created") await client.destroyInstance(verdict.instanceId);
    return verdict.kind;
  },
};

const TEMPLATE = { name: "a", image: "b", docker_login_repo: "", docker_login_user: "", docker_login_pass: "" };

function essence({ id, label, actual_status, ssh_host }: Record<string, unknown>) {
  return { id, label, actual_status, ssh_host };
}

/** Changes what is where the path leads; `*` is each element of a list. */
function change(body: unknown, [step, ...rest]: readonly string[], to: (old: unknown) => unknown): unknown {
  if (step === undefined) return to(body);
  if (step === "*") return Array.isArray(body) ? body.map((each) => change(each, rest, to)) : body;
  if (typeof body !== "object" || body === null) return body;
  const fields = body as Record<string, unknown>;
  return { ...fields, [step]: change(fields[step], rest, to) };
}

const anything = (fields: readonly string[]) => Object.fromEntries(fields.map((field) => [field, "?"]));

/** A way to the service on which every answer that has such a place gets this form. */
async function throughForm(upstream: string, { at, value, more, less }: Form): Promise<string> {
  const to = (old: unknown) => {
    if (typeof old !== "object" || (!more && !less)) return value;
    const fields = Object.entries({ ...old, ...anything(more ?? []) });
    return Object.fromEntries(fields.filter(([field]) => !less?.includes(field)));
  };
  const clock = scaledClock();
  const server = await serveHttp({
    port: 0,
    failed: (fault) => console.error(fault),
    async handle({ request, response, url }: Exchange) {
      const { method = "GET", headers: sent } = request;
      const text = await readBody(request);
      const answer = await fetch(`${upstream}${url.pathname}${url.search}`, {
        method,
        headers: { authorization: sent.authorization ?? "", "content-type": "application/json" },
        ...(text === "" ? {} : { body: text }),
      });
      const body = Buffer.from(JSON.stringify(change(await answer.json(), at, to)));
      const headers = { "content-type": "application/json" };
      deliver(response, { how: "answer", answer: { status: answer.status, headers, body } }, clock);
    },
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server.url;
}

function shown({ value, more, less }: Form): string {
  if (more) return `more: ${more.join(" ")}`;
  if (less) return `less: ${less.join(" ")}`;
  return value === undefined ? "nothing" : JSON.stringify(value);
}

test.each(FORMS.map((form) => [form.operation, form.at.join("/"), shown(form), form] as const))(
  "the client reads %s with %s as %s",
  async (operation, _at, _value, form) => {
    await using service = await startContract("observed", { scenario: { volumes: [{ id: 900, machine_id: 40_211 }] } });
    const id = await rent(service, 11, aConfig());
    service.clock.advance(60);
    const read = READ[operation];
    if (read === undefined) throw new Error(`Say what the client reads of ${operation}.`);
    const expected = await read(service.client, id);
    const other = service.connect({ baseUrl: await throughForm(service.sim.url, form) });
    expect(await read(other, id)).toEqual(expected);
    expect(expected).not.toEqual([]);
  },
);

describe("the list of known differences", () => {
  const isOfType = ({ says }: KnownDifference) => says.some((sentence) => sentence.includes("must be"));

  test("has a reason for each, and their form wherever a type differs", () => {
    expect(KNOWN_DIFFERENCES.filter(({ why }) => !/\w+ \w+/.test(why))).toEqual([]);
    const formless = KNOWN_DIFFERENCES.filter((difference) => isOfType(difference) && difference.theirs === undefined);
    // An instance that is gone: the description has no form for it.
    expect(formless.flatMap(({ says }) => says)).toEqual(["/instances must be object, not null"]);
    expect(KNOWN_DIFFERENCES.filter(({ says, theirs }) => theirs !== undefined && says.length > 1)).toEqual([]);
  });

  test("no operation counts as unread that is not in it", () => {
    const named = KNOWN_DIFFERENCES.flatMap(({ operations }) => operations);
    expect(Object.keys(UNREAD).filter((operation) => !named.includes(operation))).toEqual([]);
  });
});
