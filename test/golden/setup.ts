import { mkdirSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, aroundEach, expect, type RunnerTestCase } from "vitest";
import { readTranscripts, writeTranscripts } from "./files.ts";
import { withoutRaces } from "./races.ts";
import { type Transcript, transcriptOf } from "./transcript.ts";
import { witness } from "./witness.ts";

const MODE = process.env.GOLDEN;
if (MODE && !["record", "compare"].includes(MODE)) throw new Error("GOLDEN is record or compare, or not set.");

const FOLDER = fileURLToPath(new URL("recorded/", import.meta.url));
const fresh: { task: Readonly<RunnerTestCase>; worlds: Partial<Transcript>[] }[] = [];
let file = "";

/** Without GOLDEN the scenarios run as they are. */
if (MODE) {
  aroundEach(async (runTest, { task }) => {
    const worlds = await witness(runTest);
    file = `${FOLDER}${basename(task.file.filepath, ".test.ts")}.json`;
    const name = task.fullTestName;
    const seen = worlds.map((world) => withoutRaces(name, transcriptOf(world)));
    fresh.push({ task, worlds: seen });
    if (MODE === "compare") expect(seen, `${name}: GOLDEN=record writes it`).toEqual(readTranscripts(file)[name]);
  });

  afterAll(() => {
    if (MODE !== "record" || file === "") return;
    mkdirSync(FOLDER, { recursive: true });
    // What a red scenario did is no measure.
    const green = fresh.filter(({ task }) => task.result?.state === "pass");
    const recorded = green.map(({ task, worlds }) => [task.fullTestName, worlds]);
    writeTranscripts(file, { ...readTranscripts(file), ...Object.fromEntries(recorded) });
  });
}
