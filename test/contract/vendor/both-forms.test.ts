import { expect, onTestFinished, test } from "vitest";
import { scaledClock } from "../../../simulator/clock/sim-clock.ts";
import { deliver } from "../../../simulator/http/deliver.ts";
import { type Exchange, serveHttp } from "../../../simulator/http/serve-http.ts";
import type { AccountClient } from "../../../src/service/account/account-client.ts";
import { aConfig } from "../../unit/support/an-instance-config.ts";
import { create, startContract } from "../support/service-under-contract.ts";
import { KNOWN_DIFFERENCES } from "./known-differences.ts";

/** A form of a field, and the operation in whose answer it stands. */
interface Form {
  readonly operation: string;
  readonly at: readonly string[];
  readonly value: unknown;
}

/** Forms that were seen, or that another description of the vendor's has, and not this one. */
const SEEN_ELSEWHERE: readonly Form[] = [
  { operation: "showInstances", at: ["instances", "*", "volume_info"], value: null },
  { operation: "showInstance", at: ["instances", "volume_info"], value: null },
  { operation: "showApiKeys", at: ["apikeys", "*", "rights"], value: ["misc"] },
  { operation: "showApiKeys", at: ["apikeys", "*", "permissions"], value: null },
];

const FORMS: readonly Form[] = [
  ...KNOWN_DIFFERENCES.flatMap(({ operations, theirs }) =>
    theirs ? operations.map((operation) => ({ operation, ...theirs })) : [],
  ),
  ...SEEN_ELSEWHERE,
];

/** Our client's readings, operation by operation, that must not depend on the form. */
const READ: Readonly<Record<string, (client: AccountClient, id: number) => Promise<unknown>>> = {
  showInstances: async (client) => (await client.listInstances()).map(essence),
  showInstance: async (client, id) => essence((await client.getInstance(id)) ?? {}),
  showApiKeys: async (client) => (await client.apiKeys.list()).map(({ id, name }) => ({ id, name })),
  listVolumes: async (client) => (await client.volumes.list()).map(({ id }) => id),
};

function essence({ id, label, actual_status, ssh_host }: Record<string, unknown>) {
  return { id, label, actual_status, ssh_host };
}

/** Puts a value where the path leads; `*` is each element of a list. */
function change(body: unknown, [step, ...rest]: readonly string[], value: unknown): unknown {
  if (step === undefined) return value;
  if (step === "*") return Array.isArray(body) ? body.map((each) => change(each, rest, value)) : body;
  const fields = body as Record<string, unknown>;
  return { ...fields, [step]: change(fields[step], rest, value) };
}

/** A way to the service on which every answer that has such a place gets this form. */
async function throughForm(upstream: string, { at, value }: Form): Promise<string> {
  const clock = scaledClock();
  const server = await serveHttp({
    port: 0,
    failed: (fault) => console.error(fault),
    async handle({ request, response, url }: Exchange) {
      const { authorization = "" } = request.headers;
      const answer = await fetch(`${upstream}${url.pathname}${url.search}`, { headers: { authorization } });
      const body = Buffer.from(JSON.stringify(change(await answer.json(), at, value)));
      const headers = { "content-type": "application/json" };
      deliver(response, { how: "answer", answer: { status: answer.status, headers, body } }, clock);
    },
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server.url;
}

test.each(FORMS.map((form) => [form.operation, form.at.join("/"), JSON.stringify(form.value), form] as const))(
  "the client reads %s with %s as %s",
  async (operation, _at, _value, form) => {
    await using service = await startContract("observed", { scenario: { volumes: [{ id: 900, machine_id: 40_211 }] } });
    const id = await create(service, 11, aConfig());
    service.clock.advance(60);
    const read = READ[operation];
    if (read === undefined) throw new Error(`Say what the client reads of ${operation}.`);
    const expected = await read(service.client, id);
    const other = service.connect({ baseUrl: await throughForm(service.sim.url, form) });
    expect(await read(other, id)).toEqual(expected);
    expect(expected).not.toEqual([]);
  },
);
