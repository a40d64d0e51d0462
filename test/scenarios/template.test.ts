import { describe, expect, test } from "vitest";
import { shownError } from "../support/shown-error.ts";
import { RENT_JOB, startSession } from "../support/simulated-session.ts";

const HASH = "4e17788f74f075dd9aab7d0d4427968f";
const TEMPLATE = {
  id: 31,
  hash_id: HASH,
  name: "Torch for tests",
  image: "registry.invalid/octo/torch",
  tag: "2.8-cuda12.8",
  env: "-e MODE=train",
  extra_filters: { disk_bw: { gte: 2000 }, gpu_name: { eq: "RTX 3090" } },
};
const COPY = { ...TEMPLATE, id: 32, hash_id: "0".repeat(32), creator_id: 7, private: false };
/** The cheapest don't fit the template: a slow disk, and a driver too old for its image. */
const offers = [
  { id: 11, dph_base: 0.2, disk_bw: 500 },
  { id: 12, dph_base: 0.25, disk_bw: 3000, cuda_max_good: 12.4 },
  { id: 13, dph_base: 0.3, disk_bw: 3000, cuda_max_good: 12.9 },
];
const BY_NAME = { image: undefined, "template-name": TEMPLATE.name };

describe.concurrent("template-name", () => {
  test("is looked up; the template's filters and its image choose the offer, and what the step asks wins", async () => {
    await using session = await startSession({ with: BY_NAME, scenario: { templates: [TEMPLATE], offers } });

    const main = await session.step.mainSucceeds();
    expect(main.log).toContain(`The template is "${TEMPLATE.name}", hash_id ${HASH}.`);
    const [machine] = session.instances();
    expect(machine?.offer.id).toBe(13);
    expect(machine?.order).toMatchObject({
      image: "registry.invalid/octo/torch:2.8-cuda12.8",
      env: expect.objectContaining({ MODE: "train" }),
      template: { hash_id: HASH },
    });
    expect(session.run.job("test").conclusion).toBe("success");

    await session.endClean();
  });

  test.each([
    ["several", [TEMPLATE, COPY], /^2 templates are named "Torch for tests": 4e17.* 0{32} \(by user 7\)\. Nothing was/],
    ["none", [], /^No template is named "Torch for tests"\. Nothing was rented\. 'test' did not run, and/],
  ])("%s have it: a clear error before anything is rented", async (_what, templates, message) => {
    await using session = await startSession({ with: BY_NAME, scenario: { templates, offers } });

    const main = await session.step.mainFails();
    expect(shownError(main.log)).toMatchObject({
      name: "TemplateNameError",
      message: expect.stringMatching(message),
      hint: expect.stringMatching(/template-name.*template-hash-id/),
    });

    await session.endClean();
    expect(session.instances()).toEqual([]);
  });

  test("works by the letter of the seed, too", async () => {
    const template = { ...TEMPLATE, extra_filters: { reliability: { gte: 0.5 } } };
    await using session = await startSession({
      with: BY_NAME,
      dialect: "seed",
      scenario: { templates: [template], offers },
    });

    await session.step.mainSucceeds();
    expect(session.instances()[0]?.order.template).toMatchObject({ hash_id: HASH });

    await session.endClean();
  });
});

test("a key that may not read templates: the hash does, and a warning says what is lost", async () => {
  const keys = [{ key: "scoped-key-of-the-account", scopes: ["misc", "instance_read", "instance_write"] as const }];
  const scenario = {
    templates: [TEMPLATE],
    offers,
    keys: keys.map(({ key, scopes }) => ({ key, scopes: [...scopes] })),
  };
  const inputs = { image: undefined, "template-hash-id": HASH, "api-key": "scoped-key-of-the-account" };
  await using session = await startSession({ with: inputs, scenario });

  const main = await session.step.mainSucceeds();
  expect(main.log).toMatch(
    /::warning.*The template could not be looked at: its filters and image don't count.*needs the permission user_read/,
  );
  expect(session.instances()[0]?.offer.id).toBe(11);

  await session.endClean();
});

test("check: true finds a template fault among the others, and rents nothing", async () => {
  await using session = await startSession({
    with: { ...BY_NAME, check: "true", "min-credit": "100" },
    scenario: { offers },
    jobs: [RENT_JOB],
  });

  const main = await session.step.mainFails();
  expect(shownError(main.log).message.split("\n")).toEqual([
    "2 checks failed. Nothing was rented.",
    expect.stringMatching(/^- credit: /),
    '- the template is there: No template is named "Torch for tests". Nothing was rented.',
  ]);

  await session.endClean();
});
