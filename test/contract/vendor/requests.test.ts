import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { matchPath } from "../../../simulator/http/match-path.ts";
import type { JournalEntry } from "../../../simulator/service/traffic/service-journal.ts";
import { compileSchema } from "../../support/openapi.ts";
import { rent, type ServiceUnderContract, startContract } from "../support/service-under-contract.ts";
import { vendorFile } from "./description.ts";

const file = vendorFile();

/** Our client's requests that are not as described, and why. */
const KNOWN: Readonly<Record<string, string>> = {
  "createInstance /env must be string":
    "the seed says an object and calls a flag string wrong; its command line sends one",
  "createVolume  must NOT have additional properties name": "its command line sends it, and the volume has it",
  "deleteVolume  must have required property 'id'": "it stands in the address, as its command line sends it",
  "deleteVolume ?id is not described": "as its command line sends it",
  "editTemplate PUT /api/v1/template/ is not described": "its command line edits there since 2026-10",
  "listVolumes ?owner is not described": "as its command line sends it",
  "listVolumes ?type is not described": "as its command line sends it",
  "searchOffers /num_gpus must NOT have additional properties eq": "it names `in` alone, and shows others in its text",
  "searchOffers /order must NOT have fewer than 2 items": "meant for each entry: its clients sort by one field",
  "searchOffers /type must be equal to one of the allowed values": "its own example and its command line say on-demand",
};

/** Those of our requests whose body it describes. */
const DESCRIBED = [
  ...["attachSshKey", "changeInstance", "createApiKey", "createInstance", "createSshKey", "createTemplate"],
  ...["createVolume", "deleteTemplate", "deleteVolume", "requestLogs", "searchOffers", "searchVolumes"],
];

/** A described operation, as far as its requests go. */
const Described = z.object({
  parameters: z.array(z.object({ name: z.string(), in: z.string() })).default([]),
  requestBody: z.unknown().optional(),
});
const Body = z.object({ content: z.object({ "application/json": z.object({ schema: z.looseObject({}) }) }) });

/** The description of a request; undefined where its address is not. */
function describedOf(paths: Record<string, Record<string, unknown>>, { method, path }: JournalEntry) {
  for (const [pattern, methods] of Object.entries(paths)) {
    const params = matchPath(pattern.replace(/\{\w+\}/g, ":id"), path.replace(/\/$/, ""));
    const operation = params && methods[method.toLowerCase()];
    if (!operation || !/^\d*$/.test(params.id ?? "")) continue;
    const { parameters, requestBody } = Described.parse(operation);
    const names = parameters.filter((each) => each.in === "query").map(({ name }) => name);
    return { names, schema: Body.safeParse(requestBody).data?.content["application/json"].schema };
  }
  return undefined;
}

/** A request's differences from what is described of it. */
function differencesOf({ method, path, query, request }: JournalEntry, described: ReturnType<typeof describedOf>) {
  if (!described) return [`${method} ${path} is not described`];
  const strange = Object.keys(query).filter((name) => !described.names.includes(name));
  const check = described.schema && compileSchema(described.schema, { closed: true });
  check?.(request ?? {});
  const wrong = (check?.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${params.additionalProperty ?? ""}`,
  );
  return [...strange.map((name) => `?${name} is not described`), ...wrong];
}

/** All of the client's requests. */
async function sendEverything(service: ServiceUnderContract): Promise<void> {
  const { client } = service;
  const { apiKeys, sshKeys, templates, volumes } = client;
  const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEmine mine";
  const login = { docker_login_repo: "", docker_login_user: "", docker_login_pass: "" };
  const filters = { num_gpus: { eq: 1 } };
  await client.searchOffers({ filters, type: "on-demand", order: [["dph_total", "asc"]], limit: 3 });
  const id = await rent(service);
  for (const change of [{ label: "other" }, { state: "stopped" }] as const) await client.changeInstance(id, change);
  await client.requestLogs({ id, tail: 5, log: "container" });
  const { hash_id } = await templates.create({ name: "a", image: "b", ...login });
  await templates.edit(hash_id, { desc: "c" });
  const [template] = await templates.search();
  await templates.delete(template?.id ?? 0);
  await sshKeys.create(key);
  await sshKeys.attach(id, key);
  const [room] = await volumes.search({});
  await volumes.create({ id: room?.id ?? 0, size: 9, name: "v" });
  await volumes.delete(900);
  await Promise.all([client.getInstance(id), client.listInstances(undefined, "other"), client.currentUser()]);
  await Promise.all([sshKeys.list(), sshKeys.ofInstance(id), volumes.list(), apiKeys.list()]);
  const made = await apiKeys.create({ name: "k", permissions: { api: { misc: {} } } });
  await apiKeys.delete(made.id);
  await sshKeys.detach(id, (await sshKeys.ofInstance(id))[0]?.id ?? 0);
  await sshKeys.delete((await sshKeys.create(key)).id);
  await client.team.remove(5);
  // Else it asks for no second page.
  service.sim.setFaults([{ operation: "listInstances", kind: "repeat-page" }]);
  await expect(client.listInstances()).rejects.toThrow();
  await client.destroyInstance(id);
}

test.skipIf(file === undefined)(
  "what the client sends is as the vendor describes it, but for what is known",
  async () => {
    const { paths } = parse(readFileSync(file ?? "", "utf8"));
    const scenario = { volumes: [{ id: 900, machine_id: 40_211 }], team: [{ id: 5 }] };
    await using service = await startContract("observed", { scenario });
    await sendEverything(service);
    const found = new Set<string>();
    const checked = new Set<string>();
    for (const entry of service.sim.journal.entries.filter(({ operation }) => operation !== "getLogFile")) {
      const described = describedOf(paths, entry);
      for (const difference of differencesOf(entry, described)) found.add(`${entry.operation} ${difference}`.trim());
      if (described?.schema) checked.add(entry.operation);
    }
    expect([...found].sort()).toEqual(Object.keys(KNOWN).sort());
    expect([...checked].sort()).toEqual(DESCRIBED);
  },
);
