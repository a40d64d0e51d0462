// Judges every YAML text here by GitHub's own language service and by the published schemas.
// Usage: judge-yaml.ts PATH_OF_CHECK_JSONSCHEMA
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { byLanguageService } from "./language-service.ts";
import { type DocumentKind, type YamlDocument, yamlDocuments } from "./yaml-documents.ts";

const run = promisify(execFile);
const OURS = "ephemeral-gpu-runner";

const SCHEMAS: Readonly<Record<DocumentKind, string>> = {
  workflow: "vendor.github-workflows",
  action: "vendor.github-actions",
  dependabot: "vendor.dependabot",
  "issue-form": "vendor.github-issue-forms",
};

/** The published schema's findings in texts of one kind; empty when there are none. */
async function bySchema(program: string, kind: DocumentKind, documents: readonly YamlDocument[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "judge-yaml-"));
  try {
    const files = documents.map(({ name, text }) => {
      const file = join(folder, `${name.replaceAll("/", "|")}.yml`);
      writeFileSync(file, text);
      return file;
    });
    await run(program, ["--builtin-schema", SCHEMAS[kind], ...files]);
    return "";
  } catch (fault) {
    const { stdout = "", stderr = "" } = fault as { stdout?: string; stderr?: string };
    if (!stdout.includes("validation errors")) throw fault;
    return (stdout + stderr).replaceAll(`${folder}/`, "").replaceAll("|", "/");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const job = (lines: string) => `on: push\njobs:\n  job:\n    runs-on: ubuntu-latest\n${lines}`;
const step = (lines: string) => job(`    steps:\n      - uses: OWNER/${OURS}@v1\n        with:\n${lines}`);
/** A judge that lets these pass is none. */
const WRONG: readonly { text: string; service?: RegExp; schema?: RegExp }[] = [
  { text: step("          gpu-nam: H100\n"), service: /Invalid action input 'gpu-nam'/ },
  { text: step("          api-key: k\n"), service: /Missing required inputs: `github-token`, `max-price`/ },
  { text: job(`    steps:\n      - run: echo \${{ secret.KEY }}\n`), service: /Unrecognized named-value: 'secret'/ },
  { text: job("    needs: other\n    steps:\n      - run: ls\n"), service: /Value 'other' is not valid/ },
  { text: job("    cache-mode: sometimes\n    steps:\n      - run: ls\n"), schema: /'sometimes' is not/ },
  {
    text: job("    timeout: 5\n    steps:\n      - run: ls\n"),
    service: /Unexpected value 'timeout'/,
    schema: /'timeout'/,
  },
];

async function refuseBlindJudges(program: string): Promise<void> {
  for (const [index, { text, service, schema }] of WRONG.entries()) {
    const said = (await byLanguageService({ kind: "workflow", text })).join("\n");
    if (service && !service.test(said))
      throw new Error(`The language service did not say ${service} of\n${text}but: ${said}`);
    const schemaSaid = await bySchema(program, "workflow", [{ name: `wrong-${index}`, kind: "workflow", text }]);
    if (schema && !schema.test(schemaSaid))
      throw new Error(`The schema did not say ${schema} of\n${text}but: ${schemaSaid}`);
  }
}

/** Where the language service is wrong, and the published schema right: test/clients/README.md. */
const KNOWN = /: Unexpected value 'cache-mode'$/;

async function serviceOnAll(documents: readonly YamlDocument[]): Promise<string[]> {
  const said: string[] = [];
  for (const document of documents) {
    const found = await byLanguageService(document);
    said.push(...found.map((line) => `${document.name}: ${line}`));
  }
  if (!said.some((line) => KNOWN.test(line))) throw new Error(`Nobody says ${KNOWN} any more: take it out.`);
  return said.filter((line) => !KNOWN.test(line));
}

const [program] = process.argv.slice(2);
if (program === undefined) throw new Error("Usage: judge-yaml.ts PATH_OF_CHECK_JSONSCHEMA");
await refuseBlindJudges(program);
const documents = yamlDocuments();
const said = await serviceOnAll(documents.filter(({ kind }) => kind === "workflow" || kind === "action"));
for (const kind of Object.keys(SCHEMAS) as DocumentKind[]) {
  const ofKind = documents.filter((document) => document.kind === kind);
  if (ofKind.length > 0) said.push(await bySchema(program, kind, ofKind));
}
for (const { name, kind } of documents) console.log(`${name} (${kind})`);
const complaints = said.filter((text) => text !== "");
if (complaints.length > 0) throw new Error(complaints.join("\n"));
console.log(`${documents.length} texts, nothing to say against.`);
