import { expect, test, vi } from "vitest";
import { aFault } from "./fault.ts";
import type { Mutation } from "./outside.ts";
import { play } from "./play.ts";
import type { Rule } from "./referee/rule.ts";
import { aDeath, aStory, type Story } from "./story.ts";

/** Requests of main until its create is on its way. */
const CREATE = 6;

/** A change of the client or the ledger, the smallest story that shows it, and the rule that it breaks. */
const BROKEN: Record<string, readonly [Mutation, Partial<Story>, Rule]> = {
  "no create is written down": [{ ledger: { pending() {} } }, {}, "one create at a time, and written down"],
  "a create without an answer is sent again": [
    {
      service(service) {
        const create = service.createInstance.bind(service);
        service.createInstance = (...given) => create(...given).catch(() => create(...given));
      },
    },
    { faults: [aFault({ where: "create", what: "lost after" })] },
    "one create at a time, and written down",
  ],
  "post does not look at the list": [
    {
      service(service, of) {
        if (of === "post") service.listInstances = async () => [];
      },
    },
    { death: aDeath({ request: CREATE, isAfter: true }) },
    "nothing bills after the end",
  ],
};

test.each(Object.entries(BROKEN))("%s: the referee sees it, and nothing without it", async (_what, row) => {
  const [mutation, story, rule] = row;
  vi.spyOn(Math, "random").mockReturnValue(0.5);
  expect((await play(aStory(story), mutation)).broken.map((each) => each.rule)).toContain(rule);
  expect((await play(aStory(story))).broken).toEqual([]);
});
