import { expect, test } from "vitest";
import { z } from "zod";
import {
  aNumber,
  INSTANCE_COLUMNS,
  instanceSchema,
  maybeString,
  offerSchema,
  permissionsOf,
  readableRows,
} from "../../../../src/marketplace/vast/schemas.ts";

const NOT_A_NUMBER = [null, undefined, "", "  ", "abc", Number.NaN, Number.POSITIVE_INFINITY, true, {}, [7]];
const OBJECT = { api: { misc: {}, user_read: {} } };
const PROMISED = { id: 11, num_gpus: 1, gpu_name: "RTX 4090", dph_total: 0.4 };

test("a number is read from a text, and nothing else is taken for 0", () => {
  expect([7, -1, 0, "0.40", " 22 "].map((given) => aNumber.parse(given))).toEqual([7, -1, 0, 0.4, 22]);
  expect(NOT_A_NUMBER.filter((given) => aNumber.safeParse(given).success)).toEqual([]);
});

test("a text loses the line breaks that real answers carry", () => {
  expect(maybeString.parse("203.0.113.7 \n")).toBe("203.0.113.7");
  expect(instanceSchema.parse({ id: 7, status_msg: "5a78: Pull complete \n" }).status_msg).toBe("5a78: Pull complete");
});

test("one broken row does not hide the others, and what is no array is no answer", () => {
  const rows = readableRows(z.looseObject({ id: aNumber }));
  const given = [{ id: 1 }, null, { id: null }, "row", { id: "3", more: true }];
  expect(rows.parse(given)).toEqual([{ id: 1 }, { id: 3, more: true }]);
  expect([null, undefined, {}, "[]"].filter((each) => rows.safeParse(each).success)).toEqual([]);
});

test.each([
  [{ permissions: JSON.stringify(OBJECT) }, ["misc", "user_read"]],
  [{ rights: [] }, undefined],
  [{ permissions: { misc: {} } }, undefined],
])("the permissions of a key are read where it shows them, and never guessed: %j", (row, permissions) => {
  expect(permissionsOf(row)).toEqual(permissions);
});

test.each<[object, object]>([
  [{ id: "7", actual_status: null }, { actual_status: undefined }],
  [
    { id: 7, label: 9, ssh_port: "x", machine_id: null, status_msg: {} },
    { label: undefined, ssh_port: undefined, machine_id: undefined, status_msg: undefined },
  ],
])("an instance is read, whatever junk is in its fields: %j", (given, read) => {
  expect(instanceSchema.parse(given)).toEqual({ id: 7, ...read });
});

test.each([{}, { id: null }, { id: "abc" }, null, "instance"])("what has no id is no instance: %j", (given) => {
  expect(instanceSchema.safeParse(given).success).toBe(false);
});

test("the columns that a list is asked for leave out the environment, which carries secrets", () => {
  expect(INSTANCE_COLUMNS).toContain("label");
  const secret = ["*", "extra_env", "onstart", "image_args", "jupyter_token"];
  expect(INSTANCE_COLUMNS.filter((column) => secret.includes(column))).toEqual([]);
});

test("an offer is what the specification promises, and what else there is", () => {
  expect(offerSchema.parse(PROMISED)).toEqual(PROMISED);
  expect(offerSchema.parse({ ...PROMISED, vericode: 1 })).toHaveProperty("vericode", 1);
});

const UNPROMISED = "dph_base storage_cost machine_id reliability duration disk_space gpu_ram verified external";

test.each([...UNPROMISED.split(" "), "verification"])("junk in what is not promised makes it unknown: %s", (field) => {
  for (const junk of [null, {}, field === "verification" ? 7 : "n/a"])
    expect(offerSchema.parse({ ...PROMISED, [field]: junk })).toHaveProperty(field, undefined);
});

test.each([
  ...["id", "num_gpus", "gpu_name", "dph_total"].flatMap((field) => [{ [field]: undefined }, { [field]: null }]),
  ...[0, -1, 1.5, 1e21].map((id) => ({ id })),
  { dph_total: -0.5 },
  { dph_total: Number.NaN },
])("an offer without what is promised, or that its host pays for, is none: %j", (given) => {
  expect(offerSchema.safeParse({ ...PROMISED, ...given }).success).toBe(false);
});
