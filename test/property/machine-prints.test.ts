import fc from "fast-check";
import { expect, test } from "vitest";
import { judgeInstance } from "../../src/machine/instance.ts";
import { secretHider } from "../../src/machine/log.ts";
import { anInstance } from "../unit/support/an-instance.ts";
import { always } from "./support/always.ts";
import { hostileText, MEGABYTES } from "./support/hostile.ts";
import { isPlainLine } from "./support/readings.ts";

test("what a machine prints is shown without the values of its environment", () => {
  const env = fc.dictionary(fc.stringMatching(/^[A-Z][A-Z_]{0,9}$/), hostileText, { minKeys: 1, maxKeys: 4 });
  always(1000, [env, hostileText, hostileText], (variables, before, after) => {
    const hide = secretHider(variables);
    for (const value of Object.values(variables)) {
      const lines = value.split(/\r?\n/).map((line) => line.trim());
      const secrets = lines.filter((line) => line.length >= 8 && !"[]ABCDEFGHIJKLMNOPQRSTUVWXYZ_".includes(line));
      const hidden = hide(`${before} ${value} ${after}`);
      expect(secrets.filter((line) => hidden.includes(line))).toEqual([]);
    }
  });
});

test("a megabyte of anything is judged and hidden in no time", () => {
  const hide = secretHider({ SECRET_KEY: "abcdefghijkl" });
  for (const [name, text] of MEGABYTES) {
    const judged = judgeInstance(anInstance({ id: 7, status_msg: text, actual_status: text }));
    expect(isPlainLine(JSON.stringify(judged)), name).toBe(true);
    expect(hide(`${text} abcdefghijkl`), name).not.toContain("abcdefghijkl");
  }
});
