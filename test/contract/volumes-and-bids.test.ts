import { describe, expect, test } from "vitest";
import { judgeInstance } from "../../src/machine/instance.ts";
import { NotFoundError, RequestRejectedError } from "../../src/marketplace/errors.ts";
import { judgeCreate } from "../../src/marketplace/vast/refusals.ts";
import type { InstanceConfig } from "../../src/marketplace/vast/requests.ts";
import { instanceOf, seedQuery, wireQuery } from "../../src/marketplace/vast/translate.ts";
import { offerQuery } from "../../src/offers/search.ts";
import { aConfig } from "../unit/support/an-instance-config.ts";
import { create, DIALECTS, REQUIREMENTS, startContract } from "./support/service-under-contract.ts";

const scenario = {
  offers: [
    { id: 11, machine_id: 501, min_bid: 0.2, dph_base: 0.5 },
    { id: 12, machine_id: 502, min_bid: 0.25, dph_base: 0.5 },
  ],
  volumeOffers: [{ id: 71, machine_id: 501, disk_space: 100 }],
  volumes: [{ id: 81, machine_id: 502 }],
};
const NEW = { create_new: true, volume_id: 71, size: 30, mount_path: "/data" } as const;
const LINKED = { create_new: false, volume_id: 81, mount_path: "/data" } as const;

const PORTS = { "-p 8000:8000": "1", "-p 8081:8081/udp": "1" };
const IMAGE: InstanceConfig = { image: "debian:13" };
/** One row a field, or a rule, of the specification's creation configuration. */
const CONFIGS: [what: string, config: InstanceConfig][] = [
  ["an image and nothing else", IMAGE],
  ["label", { ...IMAGE, label: "mine" }],
  ["disk", { ...IMAGE, disk: 100 }],
  ["runtype ssh_direct", { ...IMAGE, runtype: "ssh_direct" }],
  ["runtype ssh_proxy", { ...IMAGE, runtype: "ssh_proxy" }],
  ["runtype ssh", { ...IMAGE, runtype: "ssh" }],
  [
    "runtype jupyter_direct, Lab and folder",
    { ...IMAGE, runtype: "jupyter_direct", use_jupyter_lab: true, jupyter_dir: "/w" },
  ],
  ["runtype jupyter_proxy", { ...IMAGE, runtype: "jupyter_proxy" }],
  ["runtype jupyter", { ...IMAGE, runtype: "jupyter" }],
  ["runtype args", { ...IMAGE, runtype: "args", args_str: "--serve" }],
  ["target_state stopped", { ...IMAGE, target_state: "stopped" }],
  ["price", { ...IMAGE, price: 0.3 }],
  ["env with variables and ports", { ...IMAGE, env: { A: "b", ...PORTS } }],
  ["onstart", { ...IMAGE, onstart: "x".repeat(4048) }],
  ["python_utf8 and lang_utf8", { ...IMAGE, python_utf8: true, lang_utf8: true }],
  ["image_login", { ...IMAGE, image_login: "-u me -p token registry.example.com" }],
  ["cancel_unavail", { ...IMAGE, cancel_unavail: true }],
  ["vm", { ...IMAGE, vm: true }],
  ["volume_info, a new one", { ...IMAGE, volume_info: NEW }],
];

describe.each(DIALECTS)("dialect %s", (dialect) => {
  test.each(CONFIGS)("create takes %s", async (_what, config) => {
    await using service = await startContract(dialect, { scenario });
    const id = await create(service, 11, config as ReturnType<typeof aConfig>);
    expect(service.sim.instances()[0]?.id).toBe(id);
  });

  test("a bid: interruptible offers show the lowest, the instance bills what was bid, and one that is outbid is known as that", async () => {
    await using service = await startContract(dialect, { scenario });
    const search = seedQuery(wireQuery(offerQuery({ ...REQUIREMENTS, bid: { price: undefined } })));
    const [offer] = await service.client.searchOffers({ ...search, order: [] });
    expect(offer?.dph_total).toBeLessThan(0.3);
    const id = await create(service, 11, aConfig({ price: 0.3 }));
    service.clock.advance(60);
    expect(service.sim.books.billingNow()).toMatchObject([{ id, gpuPerHour: 0.3 }]);
    service.sim.update(id, "outbid");
    const seen = await service.client.getInstance(id);
    expect(seen && judgeInstance(instanceOf(seen), true)).toMatchObject({ kind: "failed", outbid: true });
    expect(service.sim.books.billingNow()).toMatchObject([{ id, gpuPerHour: 0, storagePerHour: expect.any(Number) }]);
  });

  test("a bid below the floor leaves nothing that is not known: an id to destroy, or the next offer", async () => {
    await using service = await startContract(dialect, { scenario });
    const verdict = judgeCreate(await service.client.createInstance(11, aConfig({ price: 0.1 })));
    expect(verdict).toMatchObject(
      dialect === "seed" ? { kind: "refused", refusal: { code: "offer-gone" } } : { kind: "unwanted" },
    );
    if (verdict.kind === "unwanted") expect(await service.client.destroyInstance(verdict.instanceId)).toBe("asked");
    expect(service.sim.books.billingNow()).toEqual([]);
  });

  test("a volume is linked on its machine, and refused on another: no other offer would do", async () => {
    await using service = await startContract(dialect, { scenario });
    const elsewhere = await service.client.createInstance(11, aConfig({ volume_info: LINKED }));
    expect(judgeCreate(elsewhere).kind).toBe("refused");
    const unknown = await service.client.createInstance(12, aConfig({ volume_info: { ...LINKED, volume_id: 9 } }));
    expect(judgeCreate(unknown).kind).toBe("refused");
    await create(service, 12, aConfig({ volume_info: LINKED }));
    expect(service.sim.instances().map(({ volume }) => volume?.id)).toEqual([81]);
  });

  test("stop and start", async () => {
    await using service = await startContract(dialect, { scenario });
    const id = await create(service, 11);
    service.clock.advance(60);
    await service.client.changeInstance(id, { state: "stopped" });
    expect(service.sim.books.billingNow()).toMatchObject([{ id, gpuPerHour: 0 }]);
    await service.client.changeInstance(id, { state: "running" });
    service.clock.advance(60);
    expect((await service.client.getInstance(id))?.actual_status).toBe("running");
    await expect(service.client.changeInstance(9, { state: "stopped" })).rejects.toThrow(NotFoundError);
  });
});

describe("observed", () => {
  test("search, make, list and delete volumes", async () => {
    await using service = await startContract("observed", { scenario });
    const { volumes } = service.client;
    expect(await volumes.search({ id: { eq: 71 } })).toMatchObject([{ id: 71, machine_id: 501, disk_space: 100 }]);
    const id = Number(await volumes.create({ id: 71, size: 40, name: "cache" }));
    expect(await volumes.list()).toMatchObject([
      { id: 81, machine_id: 502, instances: [] },
      { id, machine_id: 501, disk_space: 40, label: "cache" },
    ]);
    expect(await volumes.delete(id)).toBe("deleted");
    expect(await volumes.delete(id)).toBe("absent");
    expect(service.sim.journal.strays()).toEqual([]);
  });

  test("a volume in use stays, and shows by whom it is used", async () => {
    await using service = await startContract("observed", { scenario });
    const id = await create(service, 12, aConfig({ volume_info: LINKED }));
    expect((await service.client.volumes.list())[0]?.instances).toEqual([id]);
    await expect(service.client.volumes.delete(81)).rejects.toThrow(RequestRejectedError);
  });

  test("a start that is queued says no, and a stop takes it back", async () => {
    await using service = await startContract("observed", { scenario });
    const id = await create(service, 11);
    service.clock.advance(60);
    await service.client.changeInstance(id, { state: "stopped" });
    service.sim.setFaults([{ operation: "changeInstance", kind: "start-queued", seconds: 30, times: 1 }]);
    await expect(service.client.changeInstance(id, { state: "running" })).rejects.toThrow(/queued/);
    await service.client.changeInstance(id, { state: "stopped" });
    service.clock.advance(600);
    expect((await service.client.getInstance(id))?.intended_status).toBe("stopped");
  });

  test("another label", async () => {
    await using service = await startContract("observed", { scenario });
    const id = await create(service, 11);
    await service.client.changeInstance(id, { label: "other" });
    expect((await service.client.listInstances(undefined, "other")).map((each) => each.id)).toEqual([id]);
  });

  test("junk in an answer: bare NaN and missing columns break no search", async () => {
    await using service = await startContract("observed", { scenario });
    const junk = { nan: ["dlperf", "inet_down"], drop: ["reliability", "score"] };
    service.sim.setFaults([{ operation: "searchOffers", kind: "junk", ...junk }]);
    const offers = await service.client.searchOffers(seedQuery(wireQuery(offerQuery(REQUIREMENTS))));
    expect(offers.map((offer) => [offer.id, offer.inet_down, offer.reliability])).toEqual([
      [11, undefined, undefined],
      [12, undefined, undefined],
    ]);
  });
});

test("the letter of the seed has no volumes to read: told as not found", async () => {
  await using service = await startContract("seed", { scenario });
  await expect(service.client.volumes.list()).rejects.toThrow(NotFoundError);
  await expect(service.client.volumes.search({})).rejects.toThrow(NotFoundError);
});
