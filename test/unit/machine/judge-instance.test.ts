import { describe, expect, test } from "vitest";
import { judgeInstance } from "../../../src/machine/instance.ts";
import type { Instance } from "../../../src/marketplace/marketplace.ts";
import { instanceSchema } from "../../../src/marketplace/vast/schemas.ts";
import { instanceOf } from "../../../src/marketplace/vast/translate.ts";

function instance(fields: Record<string, unknown>): Instance {
  return instanceOf(instanceSchema.parse({ id: 7, ...fields }));
}

describe("pending", () => {
  test.each([null, "created", "loading", "rebooting", "recycling", "a status of next year", ""])("%j", (status) => {
    expect(judgeInstance(instance({ actual_status: status }))).toMatchObject({ kind: "pending" });
  });

  test("without any status, as in a fresh answer", () => {
    expect(judgeInstance(instance({}))).toEqual({ kind: "pending", status: "being made" });
  });

  test.each([
    "5a7813e071bf: Pulling fs layer \n",
    "5a7813e071bf: Pull complete",
    "success, running pytorch_pytorch/ssh",
    "",
    null,
  ])("loading that says %j", (message) => {
    expect(judgeInstance(instance({ actual_status: "loading", status_msg: message })).kind).toBe("pending");
  });
});

describe("running", () => {
  test.each([
    ["by itself", {}],
    ["with a message of an earlier trouble", { status_msg: "Error response from daemon: unexpected EOF" }],
    ["while a stop is only intended", { intended_status: "stopped", cur_state: "running" }],
  ])("%s", (_how, fields) => {
    expect(judgeInstance(instance({ actual_status: "running", ...fields }))).toEqual({
      kind: "running",
      status: "running",
    });
  });
});

describe("failed, and the machine's fault", () => {
  test.each(["exited", "unknown", "offline", "stopped", "frozen"])("%s", (status) => {
    expect(judgeInstance(instance({ actual_status: status }))).toEqual({
      kind: "failed",
      status,
      why: `it is ${status}`,
      blame: "machine",
    });
  });

  test("says what the service says of it", () => {
    const exited = instance({ actual_status: "exited", status_msg: "exit code 137" });
    expect(judgeInstance(exited)).toMatchObject({ why: "exited: exit code 137" });
  });

  test.each(["running", "exited", "loading", null])(
    "outbid or out of credit, whatever actual_status says (%j)",
    (status) => {
      const stopped = instance({ actual_status: status, intended_status: "stopped", cur_state: "stopped" });
      expect(judgeInstance(stopped)).toMatchObject({ kind: "failed", why: "the service stopped it", blame: "machine" });
    },
  );

  test("one that was rented by a bid was outbid; where the service shows no more than `stopped`, the caller knows of the bid", () => {
    const outbid = { kind: "failed", why: "outbid: the service stopped it", outbid: true };
    const stopped = { actual_status: "exited", intended_status: "stopped", cur_state: "stopped" };
    expect(judgeInstance(instance({ ...stopped, is_bid: true }))).toMatchObject(outbid);
    expect(judgeInstance(instance({ actual_status: "stopped" }), true)).toMatchObject(outbid);
    expect(judgeInstance(instance({ actual_status: "stopped" }))).not.toMatchObject({ outbid: true });
    expect(judgeInstance(instance({ actual_status: "exited" }), true)).not.toMatchObject({ outbid: true });
    expect(judgeInstance(instance({ ...stopped }), false)).toMatchObject({ stopped: true });
    expect(judgeInstance(instance({ actual_status: "exited" }), false)).not.toMatchObject({ stopped: true });
  });

  test("what its Docker says, which may pass, is unsure while it loads", () => {
    const message = "Error response from daemon: no space left on device";
    const failed = { kind: "failed", blame: "machine" };
    const loading = judgeInstance(instance({ actual_status: "loading", status_msg: message }));
    expect(loading).toMatchObject({ ...failed, why: message, isUnsure: true });
    const exited = judgeInstance(instance({ actual_status: "exited", status_msg: message }));
    expect(exited).toEqual({ ...failed, status: "exited", why: `exited: ${message}` });
  });
});

test.each([
  ["manifest unknown", "image"],
  ["no matching manifest for linux/amd64", "platform"],
  ["unauthorized: authentication required", "login"],
  ["unsatisfied condition: cuda>=12.8", "driver"],
])("where another machine does no better, as with %j, one look is enough, whatever the status", (message, blame) => {
  for (const status of ["created", "loading", "exited"])
    expect(judgeInstance(instance({ actual_status: status, status_msg: message }))).toEqual({
      kind: "failed",
      status,
      why: message,
      blame,
    });
});

test("unknown words are kept, whole; known progress is not", () => {
  const says = (status_msg: unknown) => judgeInstance(instance({ actual_status: "loading", status_msg }));
  expect(says("no puede abrir el archivo")).toEqual({
    kind: "pending",
    status: "loading",
    says: "no puede abrir el archivo",
  });
  for (const nothing of ["", null, 7, {}, "5a7813e071bf: Waiting"])
    expect(says(nothing)).toEqual({ kind: "pending", status: "loading" });
});

test("foreign text stays in one line, and a status in few characters", () => {
  const odd = instance({ actual_status: "x".repeat(500), status_msg: "a\n::error::b" });
  expect(judgeInstance(odd).status).toHaveLength(40);
  const failed = instance({ actual_status: "exited", status_msg: "a\n::error::b" });
  expect(judgeInstance(failed)).toMatchObject({ why: "exited: a ::error::b" });
});

test("a host that says what it was given says no key of it, however it is cut; the image's name stays", () => {
  const image = "ghcr.io/some-organisation/gpu-tests-of-library-cuda12";
  const key = "eyIucnVubmVyIjoiZXlKQloyVnVkRWxrSWpvaU1qRWlMQ0pCWjJWdWRFNWhiV1VpT2lKbmNI";
  const message = `Error response from daemon: pull access denied for ${image}; env GHR_JIT=${key.repeat(40)}`;
  const verdict = judgeInstance(instance({ actual_status: "exited", status_msg: message }));
  expect(verdict).toMatchObject({
    why: `Error response from daemon: pull access denied for ${image}; env [${"GHR_JIT=".length + 40 * key.length} characters]`,
  });
});

test("a message of 100 KB is told by its ends; of a word that the cut falls into nothing is shown", () => {
  const says = (status_msg: string) => judgeInstance(instance({ actual_status: "loading", status_msg }));
  const key = "GHR_JIT=eyIucnVubmVyIjoiZXlKQloyVnVkRWxr";
  const keys = `${key} `.repeat(2500);
  expect(says(`begin ${keys}, at last: no space left on device`)).toMatchObject({
    blame: "machine",
    why: expect.stringMatching(
      /^begin (?:\[40 characters\] )+.*…(?:.*\[40 characters\] )+, at last: no space left on device$/,
    ),
  });
  for (const one of ["a".repeat(100_000), key.repeat(2500)]) expect(says(one)).toMatchObject({ says: "…" });
});
