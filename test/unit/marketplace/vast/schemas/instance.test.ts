import { describe, expect, test } from "vitest";
import { INSTANCE_COLUMNS, instanceSchema } from "../../../../../src/marketplace/vast/schemas.ts";

test("reads an instance of which only the id is known", () => {
  expect(instanceSchema.parse({ id: 7 })).toEqual({ id: 7 });
});

describe("actual_status", () => {
  test("null means that it is being provisioned, as if it were missing", () => {
    expect(instanceSchema.parse({ id: 7, actual_status: null }).actual_status).toBeUndefined();
  });

  test.each(["running", "frozen", "a status of next year"])("%s is kept as it is", (status) => {
    expect(instanceSchema.parse({ id: 7, actual_status: status }).actual_status).toBe(status);
  });
});

test("takes the line break off a status message", () => {
  expect(instanceSchema.parse({ id: 7, status_msg: "5a78: Pull complete \n" }).status_msg).toBe("5a78: Pull complete");
});

test("junk in a field does not hide the instance", () => {
  const junk = { id: "7", label: 9, ssh_port: "x", machine_id: null, status_msg: {}, cur_state: [] };
  expect(instanceSchema.parse(junk)).toMatchObject({ id: 7, label: undefined, ssh_port: undefined });
});

test.each([{}, { id: null }, { id: "abc" }, null, "instance"])("what has no id is no instance: %j", (given) => {
  expect(instanceSchema.safeParse(given).success).toBe(false);
});

test("the columns that a list is asked for leave out the environment, which carries secrets", () => {
  expect(INSTANCE_COLUMNS).toContain("label");
  for (const secret of ["*", "extra_env", "onstart", "image_args", "jupyter_token"]) {
    expect(INSTANCE_COLUMNS).not.toContain(secret);
  }
});
