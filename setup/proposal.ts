import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

/** What a repository's own files say about its GPU job. */
export interface Proposal {
  /** The library that decided; undefined: none was found. */
  library: "torch" | "jax" | "cupy" | "triton" | undefined;
  /** Best first. One that is not the last may not exist: its registry is to be asked. */
  images: readonly [string, ...string[]];
  command: string;
  /** GB; a guess, where nothing says it. */
  memoryGb: number;
  /** The least CUDA of the host, where the image does not say it. */
  minCuda?: string;
  /** Why, and what it can't know, for people. */
  says: readonly string[];
}

const MOST_FILES = 2000;
const MOST_BYTES = 200_000;
const SKIPPED = new Set(["node_modules", "venv", "dist", "build", "site-packages"]);
const UNKNOWN_MEMORY_GB = 24;

type TorchTag = readonly [version: string, tag: string];

/** PyTorch's own images: its version, and the CUDA and cuDNN that its tag names. Newest first. */
const TORCH_TAGS: readonly [TorchTag, ...TorchTag[]] = [
  ["2.8.0", "2.8.0-cuda12.8-cudnn9-runtime"],
  ["2.7.1", "2.7.1-cuda12.8-cudnn9-runtime"],
  ["2.7.0", "2.7.0-cuda12.8-cudnn9-runtime"],
  ["2.6.0", "2.6.0-cuda12.4-cudnn9-runtime"],
  ["2.5.1", "2.5.1-cuda12.4-cudnn9-runtime"],
  ["2.4.1", "2.4.1-cuda12.4-cudnn9-runtime"],
  ["2.3.1", "2.3.1-cuda12.1-cudnn8-runtime"],
  ["2.2.2", "2.2.2-cuda12.1-cudnn8-runtime"],
  ["2.1.2", "2.1.2-cuda12.1-cudnn8-runtime"],
];
const [[NEWEST_TORCH, NEWEST_TAG]] = TORCH_TAGS;
/** How PyTorch has named the images of its last versions. */
const USUAL_TAG = "cuda12.8-cudnn9-runtime";
/** CUDA's driver alone, for a job that is no Python. */
const BARE_CUDA = "nvidia/cuda:12.8.1-base-ubuntu24.04";
/** JAX and CuPy bring CUDA as packages of Python, so no tag says which driver they need. */
const PYTHON = "python:3.12-slim";
const PACKAGED_CUDA = "12.8";

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
  const images = imagesFor(library, sources.needs);
  const command = commandFor(library, sources);
  const isPackaged = images[0] === PYTHON;
  const says = sayWhy(library, sources);
  return { library, images, command, memoryGb: UNKNOWN_MEMORY_GB, says, ...(isPackaged && { minCuda: PACKAGED_CUDA }) };
}

function sayWhy(library: Proposal["library"], sources: Sources): string[] {
  const found = library === undefined ? "No GPU library was found in the repository" : `The repository uses ${library}`;
  const projects = projectsIn(sources);
  return [
    `${found}. How much GPU memory it needs is not known, so ${UNKNOWN_MEMORY_GB} GB are proposed.`,
    ...(hasTests(sources)
      ? []
      : ["No tests were found. The command nvidia-smi alone tests nothing: write your own, here or with --command."]),
    ...(projects.length > 1
      ? [
          `It holds ${projects.length} projects (${projects.slice(0, 4).join(", ")}). Have the command install the one that it tests.`,
        ]
      : []),
  ];
}

/** The folders of Python projects; one in the root is the only one that counts. */
function projectsIn({ names }: Sources): string[] {
  const places = names.filter((name) => /(^|\/)(pyproject\.toml|setup\.py)$/.test(name)).map((name) => dirname(name));
  return places.includes(".") ? ["."] : [...new Set(places)];
}

function hasTests({ names }: Sources): boolean {
  return names.some((name) => /(^|\/)(test_[^/]*|[^/]*_test)\.py$/.test(name));
}

function libraryOf({ python, needs }: Sources): Proposal["library"] {
  const imports = (name: string) => new RegExp(`^\\s*(?:import|from)\\s+${name}\\b`, "m").test(python);
  const needed = (name: string) => new RegExp(`(?:^|["'\\s])${name}(?:[-\\[<>=~!"'\\s,]|$)`, "mi").test(needs);
  return (["torch", "jax", "cupy", "triton"] as const).find((name) => imports(name) || needed(name));
}

function imagesFor(library: Proposal["library"], needs: string): Proposal["images"] {
  if (library === "jax" || library === "cupy") return [PYTHON];
  if (library === undefined) return [BARE_CUDA];
  const [, how, pinned] = /\btorch\s*(==|~=|>=)\s*(\d+(?:\.\d+)*)/.exec(needs) ?? [];
  const newest = `pytorch/pytorch:${NEWEST_TAG}`;
  if (pinned === undefined || (how === ">=" && !isNewer(pinned, NEWEST_TORCH))) return [newest];
  const known = TORCH_TAGS.find(([version]) => `${version}.`.startsWith(`${pinned}.`));
  if (known !== undefined) return [`pytorch/pytorch:${known[1]}`];
  const [major, minor = "0", patch = "0"] = pinned.split(".");
  return [`pytorch/pytorch:${major}.${minor}.${patch}-${USUAL_TAG}`, newest];
}

function isNewer(version: string, than: string): boolean {
  return version.localeCompare(than, "en", { numeric: true }) > 0;
}

/** Packages that its image lacks, and the project itself; then its tests. */
function commandFor(library: Proposal["library"], sources: Sources): string {
  if (!hasTests(sources))
    return library === "jax" || library === "cupy" ? `${install(library, sources)} && nvidia-smi` : "nvidia-smi";
  const isMarked = /\bpytest\.mark\.gpu\b/.test(sources.python) || /^\s*["']?gpu\b\s*[:"']/m.test(sources.needs);
  return `${install(library, sources)} && python -m pytest${isMarked ? " -m gpu" : ""}`;
}

function install(library: Proposal["library"], sources: Sources): string {
  const { names, needs } = sources;
  const version = (name: string) =>
    new RegExp(`\\b${name}\\s*(==\\s*[\\d.]+)`).exec(needs)?.[1]?.replaceAll(" ", "") ?? "";
  const words = ["pytest"];
  if (library === "jax") words.push(`"jax[cuda12]${version("jax")}"`);
  if (library === "cupy") words.push(`"cupy-cuda12x[ctk]${version("cupy-cuda12x")}"`);
  if (names.includes("requirements.txt")) words.push("-r requirements.txt");
  const [project, ...others] = projectsIn(sources);
  if (project !== undefined && others.length === 0) words.push(`-e ${project === "." ? "." : `./${project}`}`);
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
      /(?:^|\/)(requirements[^/]*\.txt|pyproject\.toml|setup\.(cfg|py)|pytest\.ini|tox\.ini|environment\.ya?ml)$/.test(
        name,
      ),
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
