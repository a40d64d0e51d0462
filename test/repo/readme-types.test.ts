import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { inputSchema, sweepInputSchema } from "../../src/action/inputs/schema.ts";
import { textOf } from "./support/repository.ts";

interface Typing {
  type: "string" | "boolean" | "integer" | "float" | "list" | "enum";
  separator?: string;
  "allowed-values"?: (string | number)[];
  "list-item"?: { type: string };
}

interface Types {
  inputs: Record<string, Typing>;
  outputs?: Record<string, Typing>;
}

const ACTIONS = [
  { name: "action-types.yml", folder: "", schema: inputSchema },
  { name: "sweep/action-types.yml", folder: "sweep/", schema: sweepInputSchema },
];

describe.each(ACTIONS)("$name", ({ folder, schema }) => {
  const types = parse(textOf(`${folder}action-types.yml`)) as Types;
  const action = parse(textOf(`${folder}action.yml`)) as { inputs: object; outputs?: object };
  const accepts = (name: string, text: string) =>
    schema.shape[name as keyof typeof schema.shape].safeParse(text).success as boolean;

  test("types every input and output of the action, in its order", () => {
    expect(Object.keys(types.inputs)).toEqual(Object.keys(action.inputs));
    expect(Object.keys(types.outputs ?? {})).toEqual(Object.keys(action.outputs ?? {}));
  });

  test("an enum has every value that is allowed, and a boolean is one", () => {
    for (const [name, { type, "allowed-values": values = [] }] of Object.entries(types.inputs)) {
      const good = type === "boolean" ? ["true", "false"] : values.map(String);
      if (type !== "boolean" && type !== "enum") continue;
      expect(
        good.filter((value) => !accepts(name, value)),
        name,
      ).toEqual([]);
      expect(accepts(name, "neither"), name).toBe(false);
    }
  });

  test("a number is one: the action takes 4 and refuses a word", () => {
    const bounded: Readonly<Record<string, string>> = { "min-reliability": "0.5", disk: "32" };
    for (const [name, { type }] of Object.entries(types.inputs)) {
      if (type !== "integer" && type !== "float") continue;
      expect(accepts(name, bounded[name] ?? "4"), name).toBe(true);
      expect(accepts(name, "four"), name).toBe(false);
      if (type === "integer") expect(accepts(name, "4.5"), name).toBe(false);
    }
  });
});
