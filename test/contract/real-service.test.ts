import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { AccountClient } from "../../client/account.ts";
import { AuthenticationError } from "../../src/marketplace/errors.ts";
import { judgeCreate } from "../../src/marketplace/vast/refusals.ts";
import { seedQuery, wireQuery } from "../../src/marketplace/vast/translate.ts";
import { VastMarketplace } from "../../src/marketplace/vast/vast-marketplace.ts";
import { searchForOffers } from "../../src/offers/search.ts";
import { systemClock } from "../../src/shared/clock.ts";
import { poll } from "../../src/shared/poll.ts";
import { isPassing } from "../../src/shared/user-error.ts";
import { someRequirements } from "../unit/support/an-offer.ts";
import { RecordedLog } from "../unit/support/recorded-log.ts";
import { DIALECTS, QUERY, REQUIREMENTS, startContract } from "./support/service-under-contract.ts";

// Reads from the real service, too, where SERVICE_URL and SERVICE_API_KEY are set. Nothing is rented there
// without SERVICE_MAY_RENT=1.
const { SERVICE_URL: baseUrl = "", SERVICE_API_KEY: apiKey = "", SERVICE_MAY_RENT } = process.env;
const isGiven = baseUrl !== "" && apiKey !== "";

/** The cheapest offer of any GPU, and a price that a mistake here can't exceed. */
const CHEAP = someRequirements({ gpuName: [], maxPrice: 1, minReliability: 0, disk: 8, durationSeconds: 3600 });
const MOST_OFFERS = 5;
/** An instance whose create gave no clear answer turns up within this time, or not at all. */
const LATEST_MS = 90_000;
const TEN_MINUTES = 600_000;

/** A service that can be read, and clients of it. */
interface Readable extends AsyncDisposable {
  readonly client: AccountClient;
  connect(options: { apiKey: string }): AccountClient;
}

function openReal(): Readable {
  const open = new AsyncDisposableStack();
  const connect = (key: { apiKey: string }) => open.use(new AccountClient({ baseUrl, clock: systemClock, ...key }));
  return { client: connect({ apiKey }), connect, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

const SUBJECTS: [name: string, open: () => Promise<Readable>][] = [
  ...DIALECTS.map((dialect): [string, () => Promise<Readable>] => [`dialect ${dialect}`, () => startContract(dialect)]),
  ...(isGiven ? [["the real service", async () => openReal()] satisfies [string, () => Promise<Readable>]] : []),
];

/** The offers that the action would take, cheapest first. */
async function offersOf(client: AccountClient, requirements: typeof REQUIREMENTS) {
  const tools = { service: new VastMarketplace(client), log: new RecordedLog(), signal: new AbortController().signal };
  return await searchForOffers(tools, requirements, { hosts: [], offers: [] });
}

describe.each(SUBJECTS)("what can be read of %s", (_name, open) => {
  test("search offers, in the seed's words: each has what the specification promises", async () => {
    await using service = await open();
    const offers = await service.client.searchOffers(seedQuery(wireQuery(QUERY)));
    expect(offers.length).toBeGreaterThan(0);
    const [id, dph_total] = [expect.any(Number), expect.any(Number)];
    for (const offer of offers) expect(offer).toMatchObject({ id, num_gpus: 1, gpu_name: "RTX 4090", dph_total });
  });

  test("search for offers as the action does: cheapest first, all within the requirements", async () => {
    await using service = await open();
    const prices = (await offersOf(service.client, REQUIREMENTS)).map(({ price }) => price.total);
    expect(prices).toEqual(prices.toSorted((left, right) => left - right));
    expect(Math.max(...prices)).toBeLessThanOrEqual(REQUIREMENTS.maxPrice);
  });

  test("each instance of the list can be got by its id; where there is none, undefined", async () => {
    await using service = await open();
    expect(await service.client.getInstance(1)).toBeUndefined();
    for (const { id } of (await service.client.listInstances()).slice(0, 3)) {
      const got = await service.client.getInstance(id);
      // Another use of the account may have destroyed it meanwhile.
      if (got !== undefined) expect(got.id).toBe(id);
    }
  });

  test("the user has an id, an e-mail address and a credit", async () => {
    await using service = await open();
    const [id, email, credit] = [expect.any(Number), expect.stringContaining("@"), expect.any(Number)];
    expect(await service.client.currentUser()).toMatchObject({ id, email, credit });
  });

  test("a key that is wrong", async () => {
    await using service = await open();
    const stranger = service.connect({ apiKey: "0123456789abcdef0123456789abcdef" });
    await expect(stranger.listInstances()).rejects.toBeInstanceOf(AuthenticationError);
    await expect(stranger.getInstance(1)).rejects.toBeInstanceOf(AuthenticationError);
    await expect(stranger.currentUser()).rejects.toBeInstanceOf(AuthenticationError);
    await expect(stranger.searchOffers(seedQuery(wireQuery(QUERY)))).rejects.toBeInstanceOf(AuthenticationError);
  });

  test("templates: each has a hash and a name, and is found by its hash", async () => {
    await using service = await open();
    const templates = await service.client.templates.search({ recommended: { eq: true } });
    const [hash_id, name] = [expect.any(String), expect.any(String)];
    for (const template of templates) expect(template).toMatchObject({ hash_id, name });
    const [first] = templates;
    if (first === undefined) return;
    const found = await service.client.templates.search({ hash_id: { eq: first.hash_id } });
    expect(new Set(found.map((each) => each.hash_id))).toEqual(new Set([first.hash_id]));
  });
});

describe.skipIf(!isGiven || SERVICE_MAY_RENT !== "1")("the real service, renting", () => {
  test("create, find by the label, another label, destroy, and it is gone", { timeout: TEN_MINUTES }, async () => {
    await using service = openReal();
    const { client } = service;
    const label = `contract-${randomBytes(4).toString("hex")}`;
    const labels = [label, `${label}-b`];
    const ids: number[] = [];
    try {
      const id = await rentCheapest(client, label);
      ids.push(id);
      expect(await firstOf(client, label)).toBe(id);
      await client.changeInstance(id, { label: `${label}-b` });
      expect((await client.getInstance(id))?.label).toBe(`${label}-b`);
    } finally {
      await giveBack(client, labels, ids);
    }
    for (const id of ids) expect(await client.getInstance(id)).toBeUndefined();
  });
});

/** Takes the cheapest offer that is there. Throws when something may have been made unseen. */
async function rentCheapest(client: AccountClient, label: string): Promise<number> {
  const found = await offersOf(client, CHEAP);
  for (const { offer } of found.slice(0, MOST_OFFERS)) {
    const answer = await client.createInstance(offer.id, { image: "debian:13", disk: 8, label, cancel_unavail: true });
    const verdict = judgeCreate(answer);
    if (verdict.kind === "created") return verdict.instanceId;
    if (verdict.kind !== "refused" || verdict.refusal.code !== "offer-gone")
      throw new Error(`The create was ${verdict.kind}: ${answer.status} ${answer.text}`);
  }
  throw new Error("No offer could be had.");
}

/** The instance with this label, as soon as the list has it: a fresh one may be listed late. */
async function firstOf(client: AccountClient, label: string): Promise<number | undefined> {
  return await poll(
    async () => {
      const instance = (await client.listInstances(undefined, label)).find((each) => each.label === label);
      return instance?.id;
    },
    { clock: systemClock, intervalMs: 5000, until: Date.now() + LATEST_MS },
  );
}

/** Destroys the instance and all with one of the labels, until none is left. An unclear answer doesn't count. */
async function giveBack(client: AccountClient, labels: readonly string[], ids: readonly number[]): Promise<void> {
  const known = new Set(ids);
  // Until one was there to be destroyed, it may not be visible yet.
  let notBefore = Date.now() + LATEST_MS;
  for (;;) {
    try {
      if (await askToDestroy(client, labels, known)) notBefore = 0;
      else if (Date.now() >= notBefore) return;
    } catch (error) {
      if (!isPassing(error)) throw error;
    }
    await systemClock.sleep(5000);
  }
}

/** Asks once for all that is known or listed; true where something was there. */
async function askToDestroy(client: AccountClient, labels: readonly string[], known: Set<number>): Promise<boolean> {
  const listed = (await client.listInstances()).filter(({ label }) => labels.includes(label ?? ""));
  for (const { id } of listed) known.add(id);
  let wasThere = false;
  for (const id of known) if ((await client.destroyInstance(id)) === "asked") wasThere = true;
  return wasThere;
}
