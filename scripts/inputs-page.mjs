// docs/inputs.md, made from action.yml and sweep/action.yml.
// `node scripts/inputs-page.mjs` writes it; `--print` only prints it.
import { readFileSync, writeFileSync } from "node:fs";
import { parse } from "yaml";

/** Inputs whose defaults say which job the action runs in; nobody sets them. */
const isHidden = (name) => /^(job-check-run-id|job-status|strategy-.+)$/.test(name);

/** Every other input has its place here; the order within a group is this one. */
const GROUPS = {
  "Keys and tokens": {
    text: "The [README](../README.md#keys-and-tokens) says what each of them must be able to do.",
    names: ["api-key", "api-url", "github-token", "job-token", "runner-scope", "runner-group-id", "image-login"],
  },
  "Which machine": {
    text: "All but `order` and `history` are filters, and an offer that doesn't fit is not rented. If no offer fits, the error says what excludes the nearest ones.",
    names: [
      ..."gpu-name num-gpus max-price max-traffic-price min-reliability min-gpu-ram-gb min-compute-cap min-cuda min-cpu-cores min-cpu-ram-gb".split(
        " ",
      ),
      ..."min-inet-down-mbps geolocation datacenter offer-filter order history exclude-machines".split(" "),
    ],
  },
  "Interruptible machines": {
    text: "[Interruptible machines](costs.md#interruptible-machines) cost less, and are taken away when somebody bids more.",
    names: ["pricing", "bid-price", "bid-fallback"],
  },
  "What runs on it": {
    text:
      "[images.md](images.md) says how `setup` and `probe` run, and how an image of your own makes the start faster.\n\n" +
      "Of a template, image and login apply if this step gives none, and each variable unless this step sets the same one. Its `extra_filters` are " +
      "merged into the search, but a condition of this step on the same field (by an input, its default or `offer-filter`) replaces the template's. Its `disk`, " +
      "`runtype` and `onstart` never apply. A template's hash changes with each edit, its name doesn't.",
    names: "image template-hash-id template-name runtype disk env setup setup-timeout probe".split(" "),
  },
  Volumes: {
    text:
      "[How to make and use a volume](recipes/volume.md). " +
      "[What it costs, and what others can read on it](costs.md#volumes).",
    names: ["volume-id", "volume-mount-path"],
  },
  "How many machines": {
    text: "One job that rents serves all GPU jobs of its run. [which-machines.md](which-machines.md) has examples.",
    names: "name machines jobs jobs-per-machine job-minutes hedge attempts machines-per-repository".split(" "),
  },
  "Waiting and holding": {
    text: "Write a duration as `90s`, `10m`, `2h` or `1h30m`. [while-it-runs.md](while-it-runs.md) says what each limit ends.",
    names: [
      ..."hold wait-for-job search-timeout ready-timeout boot-timeout online-timeout idle-timeout max-lifetime keep-failed".split(
        " ",
      ),
      ..."fail-with-job if-no-machine".split(" "),
    ],
  },
  Money: {
    text: "[costs.md](costs.md#max-cost-and-min-credit) says how `max-cost` works, and what can exceed it.",
    names: ["max-cost", "max-cost-30d", "min-credit", "gpu-figures", "check"],
  },
};

const MADE = "<!-- Made from action.yml and sweep/action.yml by `node scripts/inputs-page.mjs`; change those. -->";

function readYaml(path) {
  return parse(readFileSync(new URL(`../${path}`, import.meta.url), "utf8"));
}

function inputTable(inputs, names) {
  return table(
    ["Name", "Default", "Meaning"],
    names.map((name) => [`\`${name}\``, fallbackOf(inputs[name]), meaningOf(inputs[name])]),
  );
}

function fallbackOf({ required, default: fallback = "" }) {
  if (required) return "required";
  return fallback === "" ? "–" : `\`${fallback}\``;
}

function meaningOf({ description }) {
  return description.replaceAll("|", "\\|");
}

function table(head, rows) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  return [line(head), `|${head.map(() => "---").join("|")}|`, ...rows.map(line)].join("\n");
}

/** The page; throws when an input has no group. */
function page() {
  const action = readYaml("action.yml");
  const sweep = readYaml("sweep/action.yml");
  const grouped = new Set(Object.values(GROUPS).flatMap(({ names }) => names));
  const lost = Object.keys(action.inputs).filter((name) => !isHidden(name) && !grouped.has(name));
  if (lost.length > 0) throw new Error(`Give ${lost.join(", ")} a group in scripts/inputs-page.mjs.`);
  const groups = Object.entries(GROUPS).map(([heading, { text, names }]) => {
    const known = names.filter((name) => name in action.inputs);
    return [`## ${heading}`, text, inputTable(action.inputs, known)].join("\n\n");
  });
  const outputs = Object.entries(action.outputs).map(([name, { description }]) => [`\`${name}\``, description]);
  return `${[
    "# Inputs and outputs",
    MADE,
    "This page has the inputs of the step that rents, its outputs, and the inputs of the sweep. Most workflows need only the eight that the " +
      "[README](../README.md#inputs) has.",
    ...groups,
    "## Outputs",
    "They are set as soon as the first machine is ready. Later steps of the same job can use them.",
    table(["Name", "Meaning"], outputs),
    "## The sweep",
    "Inputs of `…/ephemeral-gpu-runner/sweep@v1`. [first-run.md](first-run.md#6-the-sweep) has its two workflow files.",
    inputTable(sweep.inputs, Object.keys(sweep.inputs)),
  ].join("\n\n")}\n`;
}

if (process.argv.includes("--print")) process.stdout.write(page());
else writeFileSync(new URL("../docs/inputs.md", import.meta.url), page());
