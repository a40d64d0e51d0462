import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** What a repository's own files say about its GPU job. */
export interface Proposal {
  /** The library that decided; undefined: none was found. */
  library: "torch" | "jax" | "cupy" | "triton" | undefined;
  image: string;
  command: string;
  /** GB; a guess, where nothing says it. */
  memoryGb: number;
  /** Why, for people. */
  because: string;
}

const MOST_FILES = 2000;
const MOST_BYTES = 200_000;
const SKIPPED = new Set(["node_modules", "venv", "dist", "build", "site-packages"]);
const UNKNOWN_MEMORY_GB = 24;

/** PyTorch's own images: its version, and the CUDA and cuDNN that its tag names. Newest first. */
const TORCH_TAGS: readonly (readonly [version: string, tag: string])[] = [
  ["2.8.0", "2.8.0-cuda12.8-cudnn9-runtime"],
  ["2.7.1", "2.7.1-cuda12.8-cudnn9-runtime"],
  ["2.7.0", "2.7.0-cuda12.8-cudnn9-runtime"],
  ["2.6.0", "2.6.0-cuda12.4-cudnn9-runtime"],
  ["2.5.1", "2.5.1-cuda12.4-cudnn9-runtime"],
  ["2.4.1", "2.4.1-cuda12.4-cudnn9-runtime"],
];
/** CUDA's driver alone, for a job that is no Python. */
const BARE_CUDA = "nvidia/cuda:12.8.1-base-ubuntu24.04";
/** JAX and CuPy bring CUDA as packages of Python. */
const PYTHON = "python:3.12-slim";

/** The text of a repository's Python, and of what it needs. */
interface Sources {
  python: string;
  needs: string;
  names: readonly string[];
}

/** Reads a repository, and proposes image, command and memory. */
export function proposeFor(root: string): Proposal {
  const sources = readSources(root);
  const library = libraryOf(sources);
  const image = imageFor(library, sources.needs);
  const command = commandFor(library, sources);
  const found = library === undefined ? "no GPU library was found in it" : `it uses ${library}`;
  return { library, image, command, memoryGb: UNKNOWN_MEMORY_GB, because: found };
}

function libraryOf({ python, needs }: Sources): Proposal["library"] {
  const imports = (name: string) => new RegExp(`^\\s*(?:import|from)\\s+${name}\\b`, "m").test(python);
  const needed = (name: string) => new RegExp(`(?:^|["'\\s])${name}(?:[-\\[<>=~!"'\\s,]|$)`, "mi").test(needs);
  return (["torch", "jax", "cupy", "triton"] as const).find((name) => imports(name) || needed(name));
}

function imageFor(library: Proposal["library"], needs: string): string {
  if (library === "jax" || library === "cupy") return PYTHON;
  if (library === undefined) return BARE_CUDA;
  const [, pinned = ""] = /\btorch\s*(?:==|~=|>=)\s*(\d+(?:\.\d+)*)/.exec(needs) ?? [];
  const [, tag] = TORCH_TAGS.find(([version]) => pinned !== "" && version.startsWith(pinned)) ?? TORCH_TAGS[0] ?? [];
  return `pytorch/pytorch:${tag}`;
}

/** Packages that its image lacks, and the project itself; then its tests. */
function commandFor(library: Proposal["library"], sources: Sources): string {
  const hasTests = sources.names.some((name) => /(^|\/)(test_[^/]*|[^/]*_test)\.py$/.test(name));
  if (!hasTests)
    return library === "jax" || library === "cupy" ? `${install(library, sources)} && nvidia-smi` : "nvidia-smi";
  const isMarked = /\bpytest\.mark\.gpu\b/.test(sources.python) || /^\s*["']?gpu\b\s*[:"']/m.test(sources.needs);
  return `${install(library, sources)} && python -m pytest${isMarked ? " -m gpu" : ""}`;
}

function install(library: Proposal["library"], { names, needs }: Sources): string {
  const version = (name: string) =>
    new RegExp(`\\b${name}\\s*(==\\s*[\\d.]+)`).exec(needs)?.[1]?.replaceAll(" ", "") ?? "";
  const words = ["pytest"];
  if (library === "jax") words.push(`"jax[cuda12]${version("jax")}"`);
  if (library === "cupy") words.push(`"cupy-cuda12x[ctk]${version("cupy-cuda12x")}"`);
  if (names.includes("requirements.txt")) words.push("-r requirements.txt");
  if (names.includes("pyproject.toml") || names.includes("setup.py")) words.push("-e .");
  return `python -m pip install ${words.join(" ")}`;
}

function readSources(root: string): Sources {
  const names = filesIn(root);
  const textOf = (chosen: (name: string) => boolean) =>
    names
      .filter(chosen)
      .map((name) => readShort(join(root, name)))
      .join("\n");
  return {
    names,
    python: textOf((name) => name.endsWith(".py")),
    needs: textOf((name) =>
      /^(requirements[^/]*\.txt|pyproject\.toml|setup\.(cfg|py)|pytest\.ini|tox\.ini|environment\.ya?ml)$/.test(name),
    ),
  };
}

/** Paths of a tree with `/`, links left out, up to a bound. */
function filesIn(root: string): string[] {
  const found: string[] = [];
  const waiting = [""];
  for (let folder = waiting.shift(); folder !== undefined && found.length < MOST_FILES; folder = waiting.shift()) {
    const { files, folders } = entriesOf(root, folder);
    found.push(...files);
    waiting.push(...folders);
  }
  return found;
}

function entriesOf(root: string, folder: string): { files: string[]; folders: string[] } {
  const entries = readdirSync(join(root, folder), { withFileTypes: true });
  const seen = entries.filter(({ name }) => !name.startsWith(".") && !SKIPPED.has(name));
  const pathOf = ({ name }: { name: string }) => (folder === "" ? name : `${folder}/${name}`);
  return {
    files: seen.filter((entry) => entry.isFile()).map(pathOf),
    folders: seen.filter((entry) => entry.isDirectory()).map(pathOf),
  };
}

function readShort(path: string): string {
  return statSync(path).size > MOST_BYTES ? "" : readFileSync(path, "utf8");
}
