import { expect, test } from "vitest";
import { judgeInstance } from "../../../src/machine/instance.ts";
import { anInstance } from "../support/an-instance.ts";

/** The verdict on a row of the service. */
function judged(actual_status: unknown, given: object = {}, isBid?: boolean) {
  return judgeInstance(anInstance({ actual_status, ...given }), isBid);
}

const HALTED = { intended_status: "stopped", cur_state: "stopped" };
const DISK = "Error response from daemon: no space left on device";
const FAILED = { kind: "failed", blame: "machine" };

test.each([null, "created", "loading", "a status of next year", ""])("%j is pending", (status) => {
  expect(judged(status, { status_msg: "" })).toMatchObject({ kind: "pending" });
});

test("it runs, while a stop is only intended", () => {
  const given = { intended_status: "stopped", cur_state: "running" };
  expect(judged("running", given)).toEqual({ kind: "running", status: "running" });
});

test.each(["exited", "unknown", "offline", "stopped", "frozen"])("it failed, and the machine's fault: %s", (status) => {
  expect(judged(status)).toEqual({ ...FAILED, status, why: `it is ${status}` });
});

test.each(["running", "exited", "loading", null])(
  "it failed, and the machine's fault: stopped, whatever actual_status says (%j)",
  (status) => {
    const why = "the service stopped it";
    expect(judged(status, HALTED)).toEqual({ ...FAILED, status: status ?? "being made", why, stopped: true });
    const outbid = { why: `outbid: ${why}`, outbid: true };
    expect(judged(status, { ...HALTED, is_bid: true })).toMatchObject(outbid);
    expect(judged("stopped", {}, true)).toMatchObject(outbid);
  },
);

test("it failed, and the machine's fault: one that ended, by a bid, was not stopped by the service", () => {
  expect(judged("exited", {}, true)).toEqual({ ...FAILED, status: "exited", why: "it is exited" });
});

test("it failed, and the machine's fault: what its Docker says, which may pass, is unsure while it loads", () => {
  const failed = { ...FAILED, why: DISK, isUnsure: true };
  expect(judged("loading", { status_msg: DISK })).toEqual({ ...failed, status: "loading" });
  const exited = { ...FAILED, status: "exited", why: `exited: ${DISK}` };
  expect(judged("exited", { status_msg: DISK })).toEqual(exited);
});

test("where another machine does no better one look is enough, whatever the status", () => {
  const why = "manifest unknown";
  for (const status of ["created", "loading", "exited"])
    expect(judged(status, { status_msg: why })).toEqual({ kind: "failed", status, why, blame: "image" });
});

test.each<[unknown, object]>([
  ["no puede abrir el archivo", { says: "no puede abrir el archivo" }],
  [null, {}],
  ["5a7813e071bf: Waiting", {}],
])("unknown words are kept, whole; known progress is not: %j", (status_msg, kept) => {
  expect(judged("loading", { status_msg })).toEqual({ kind: "pending", status: "loading", ...kept });
});

test("foreign text stays in one line, and a status in few characters", () => {
  expect(judged("x".repeat(500), { status_msg: "a\n::error::b" }).status).toHaveLength(40);
  expect(judged("exited", { status_msg: "a\n::error::b" })).toMatchObject({ why: "exited: a ::error::b" });
});

test("a host that says what it was given says no key of it, however it is cut; the image's name stays", () => {
  const said =
    "Error response from daemon: pull access denied for ghcr.io/some-organisation/gpu-tests-of-library-cuda12";
  const key = `GHR_JIT=${"eyIucnVubmVyIjoiZXlKQloyVnVkRWxrSWpvaU1qRWlMQ0pCWjJWdWRFNWhiV1VpT2lKbmNI".repeat(40)}`;
  const why = `${said}; env [${key.length} characters]`;
  expect(judged("exited", { status_msg: `${said}; env ${key}` })).toMatchObject({ why });
});

test("a message of 100 KB is told by its ends; of a word that the cut falls into nothing is shown", () => {
  const key = "GHR_JIT=eyIucnVubmVyIjoiZXlKQloyVnVkRWxr";
  const ends = /^begin (?:\[40 characters\] )+.*…(?:.*\[40 characters\] )+, at last: no space left on device$/;
  const status_msg = `begin ${`${key} `.repeat(2500)}, at last: no space left on device`;
  expect(judged("loading", { status_msg })).toMatchObject({ blame: "machine", why: expect.stringMatching(ends) });
  for (const one of ["a".repeat(100_000), key.repeat(2500)])
    expect(judged("loading", { status_msg: one })).toMatchObject({ says: "…" });
});
