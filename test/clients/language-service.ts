import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";
import type { ActionsMetadataProvider, ValidationConfig } from "@actions/languageservice";
import { TextDocument } from "vscode-languageserver-textdocument";
import { parse } from "yaml";
import type { YamlDocument } from "./yaml-documents.ts";

// The package is made for bundlers, which take JSON without an import attribute.
registerHooks({
  load: (url, context, next) =>
    next(url, url.endsWith(".min.json") ? { ...context, importAttributes: { type: "json" } } : context),
});
const { registerLogger, validate } = await import("@actions/languageservice");

const ROOT = new URL("../../", import.meta.url);

/** Our actions as this checkout has them; of others, that they exist. */
const actionsMetadataProvider: ActionsMetadataProvider = {
  async fetchActionMetadata({ name, path = "" }) {
    if (name !== "ephemeral-gpu-runner") return { name, description: "" };
    return parse(readFileSync(new URL(join(path, "action.yml"), ROOT), "utf8"));
  },
};

const fileProvider: NonNullable<ValidationConfig["fileProvider"]> = {
  async getFileContent(reference) {
    const path = "path" in reference ? reference.path : "";
    return { name: path, content: readFileSync(new URL(path, ROOT), "utf8") };
  },
};

let asked = 0;
const faults: string[] = [];
// It catches its own faults, and then it finds none of ours.
registerLogger({ error: (message) => faults.push(message), warn() {}, info() {}, log() {} });

/** The findings of GitHub's language service in a text, one line each. */
export async function byLanguageService({ kind, text }: Pick<YamlDocument, "kind" | "text">): Promise<string[]> {
  // It remembers what it read by its address.
  asked += 1;
  const uri = kind === "action" ? `file:///${asked}/action.yml` : `file:///${asked}/.github/workflows/workflow.yml`;
  const found = await validate(TextDocument.create(uri, "yaml", 1, text), { actionsMetadataProvider, fileProvider });
  return [...found.map(({ message, range }) => `line ${range.start.line + 1}: ${message}`), ...faults.splice(0)];
}
