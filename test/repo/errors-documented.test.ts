import { describe, expect, test } from "vitest";
import { UserError } from "../../src/shared/user-error.ts";
import { section } from "./support/markdown.ts";
import { filesIn, textOf } from "./support/repository.ts";

interface ErrorClass {
  base: string;
  /** The `name` that it says of itself. Without one people see that of its class. */
  name: string;
}

const source = filesIn("src", ".ts").map(textOf).join("\n");
const guide = textOf("docs/troubleshooting.md");
const headings = Array.from(guide.matchAll(/^## (.+)$/gm), ([, heading = ""]) => heading);

const found = source.matchAll(/^const ([A-Z_]+) = "(.+)";$/gm);
const constants = new Map(Array.from(found, ([, name, text]) => [name, text]));
/** The source as people read its messages: texts in two parts joined, constants in their place. */
const said = source
  .replace(/["`] \+\s*["`]/g, "")
  .replace(/\$\{([A-Z_]+)\}/g, (whole, name) => constants.get(name) ?? whole);

const classes = new Map<string, ErrorClass>(
  Array.from(
    source.matchAll(/^export class (\w+) extends (\w+) \{(?:\n {2}override readonly name(?:: string)? = "(\w+)";)?/gm),
    ([, name = "", base = "", said = name]) => [name, { base, name: said }],
  ),
);

function isKnown(name: string | undefined): boolean {
  return name === "UserError" || (name !== undefined && isKnown(classes.get(name)?.base));
}

/** Classes that people can meet, not those that others are made of. */
const own = [...classes.keys()].filter(
  (name) =>
    isKnown(name) && !([...classes.values()].some(({ base }) => base === name) && !source.includes(`new ${name}(`)),
);
/** The rows for which renting stops name their errors themselves. */
const ofStops = Array.from(source.matchAll(/new NoMachineError\(\s*"(\w+)"/g), ([, name = ""]) => name);
const shown = [...own, ...new Set(ofStops)];

test("every error is shown by the name of its class, in dist, too", () => {
  class ExampleError extends UserError {}
  expect(new ExampleError("It is told.").name).toBe("ExampleError");
  expect(own.length).toBeGreaterThan(20);
  const bundle = textOf("dist/index.js");
  for (const name of own)
    expect([classes.get(name)?.name, bundle.includes(`\nclass ${name} extends `)], name).toEqual([name, true]);
});

test("every error of a row for which renting stops is named where it is made", () => {
  expect(ofStops.length).toBeGreaterThan(7);
  expect(source.match(/new NoMachineError\(/g)).toHaveLength(ofStops.length);
});

test("every error has its heading in docs/troubleshooting.md, and every heading its error", () => {
  expect(headings.toSorted()).toEqual(shown.toSorted());
});

describe.each(headings)("%s", (heading) => {
  const text = section(guide, `## ${heading}`);

  test("says why, what is still billing, and what to do", () => {
    for (const part of ["**Why.**", "**Still billing?**", "**What to do.**"]) expect(text).toContain(part);
  });

  test("quotes a sentence that the code says", () => {
    const quotes = Array.from(text.matchAll(/^> (.+)$/gm), ([, quote = ""]) => quote);
    expect(quotes).not.toEqual([]);
    const pieces = quotes
      .flatMap((quote) => quote.split("…"))
      .map((piece) => piece.replace(/^[\s.,:;)]+|[\s(:]+$/g, ""));
    expect(pieces.filter((piece) => piece.length > 3 && !said.includes(piece))).toEqual([]);
  });
});
