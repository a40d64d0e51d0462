import { expect, test } from "vitest";
import { permissionsOf } from "../../../../../src/marketplace/vast/schemas.ts";

const OBJECT = { api: { misc: {}, user_read: {} } };

test.each([
  ["permissions", { permissions: OBJECT }],
  ["rights", { permissions: null, rights: OBJECT }],
  ["JSON in a text", { permissions: JSON.stringify(OBJECT) }],
])("reads the permissions of a key from %s", (_what, row) => {
  expect(permissionsOf(row)).toEqual(["misc", "user_read"]);
});

test.each([{}, { permissions: false }, { permissions: "all" }, { rights: [] }, { permissions: { misc: {} } }])(
  "does not guess where they can't be read: %j",
  (row) => {
    expect(permissionsOf(row)).toBeUndefined();
  },
);
