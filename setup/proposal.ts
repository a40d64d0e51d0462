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

/** PyTorch's own images, by its version, and the CUDA and cuDNN of the image. Newest first. */
const TORCH_TAGS = [
  "2.8.0-cuda12.8-cudnn9-runtime",
  "2.7.1-cuda12.8-cudnn9-runtime",
  "2.7.0-cuda12.8-cudnn9-runtime",
  "2.6.0-cuda12.4-cudnn9-runtime",
  "2.5.1-cuda12.4-cudnn9-runtime",
  "2.4.1-cuda12.4-cudnn9-runtime",
  "2.3.1-cuda12.1-cudnn8-runtime",
  "2.2.2-cuda12.1-cudnn8-runtime",
  "2.1.2-cuda12.1-cudnn8-runtime",
] as const;
const [NEWEST_TAG] = TORCH_TAGS;
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
  const says = [`${found}. How much GPU memory it needs is not known, so ${UNKNOWN_MEMORY_GB} GB are proposed.`];
  const projects = projectsIn(sources);
  if (!hasTests(sources))
    says.push(
      "No tests were found. The command nvidia-smi alone tests nothing: write your own, here or with --command.",
    );
  const some = projects.slice(0, 4).join(", ");
  if (projects.length > 1)
    says.push(`It holds ${projects.length} projects (${some}). Have the command install the one that it tests.`);
  return says;
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
  const isNew = (version: string) => version.localeCompare(NEWEST_TAG, "en", { numeric: true }) > 0;
  if (pinned === undefined || (how === ">=" && !isNew(pinned))) return [newest];
  const known = TORCH_TAGS.find((tag) => tag.startsWith(`${pinned}.`) || tag.startsWith(`${pinned}-`));
  if (known !== undefined) return [`pytorch/pytorch:${known}`];
  const [major, minor = "0", patch = "0"] = pinned.split(".");
  return [`pytorch/pytorch:${major}.${minor}.${patch}-${USUAL_TAG}`, newest];
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

/** Files that say what a Python project needs. */
const NEEDS =
  /(?:^|\/)(requirements[^/]*\.txt|pyproject\.toml|setup\.(cfg|py)|pytest\.ini|tox\.ini|environment\.ya?ml)$/;

function readSources(root: string): Sources {
  const names = filesIn(root);
  const textOf = (form: RegExp) => {
    const chosen = names.filter((name) => form.test(name));
    return chosen.map((name) => readShort(join(root, name))).join("\n");
  };
  return { names, python: textOf(/\.py$/), needs: textOf(NEEDS) };
}

/** Paths of a tree with `/`, links left out, up to a bound. */
function filesIn(root: string): string[] {
  const found: string[] = [];
  // It grows while it is gone through.
  const folders = [""];
  for (const folder of folders) {
    if (found.length >= MOST_FILES) break;
    const entries = readdirSync(join(root, folder), { withFileTypes: true });
    const seen = entries.filter(({ name }) => !name.startsWith(".") && !SKIPPED.has(name));
    found.push(...seen.filter((entry) => entry.isFile()).map(({ name }) => folder + name));
    folders.push(...seen.filter((entry) => entry.isDirectory()).map(({ name }) => `${folder}${name}/`));
  }
  return found;
}

function readShort(path: string): string {
  return statSync(path).size > MOST_BYTES ? "" : readFileSync(path, "utf8");
}
