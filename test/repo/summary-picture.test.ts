import { expect, test } from "vitest";
import { pageOf } from "../browser/page.ts";
import { shapeOf } from "../browser/shape.ts";
import { textOf } from "./support/repository.ts";

const SUMMARY = textOf("docs/pictures/summary.txt");

test("two demos have one shape, whatever they measured", () => {
  const other = SUMMARY.replaceAll(/\d+s\b/g, "1m 2s").replaceAll(/0\.0\d+/g, "0.5");
  expect(shapeOf(other)).toBe(shapeOf(SUMMARY));
});

test("a column or a word that is new makes the picture old", () => {
  expect(shapeOf(SUMMARY.replace("| host |", "| place |"))).not.toBe(shapeOf(SUMMARY));
  expect(shapeOf(SUMMARY.replace("Still rented", "Left"))).not.toBe(shapeOf(SUMMARY));
});

test("the page has each part of a summary as its own element, and what is foreign is no markup of the chart", () => {
  const page = pageOf("### T\n\n```mermaid\ngantt <b>\n```\n\n| a | b |\n|---|---|\n| [x](u) | **y** |\n", "m.js");
  expect(page).toContain("<h3>T</h3>");
  expect(page).toContain('<pre class="mermaid">gantt &lt;b></pre>');
  expect(page).toContain('<tr><td><a href="u">x</a></td><td><b>y</b></td></tr>');
});
