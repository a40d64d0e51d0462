import { readImageName } from "../registry/image-name.ts";
import { durationField, durationOrAutoField, envField, Fault, field, numberField, textField } from "./input-fields.ts";

const MOST_SETUP_CHARACTERS = 8192;
const MOST_PROBE_CHARACTERS = 2048;

/** The launch modes that can't be had, each with what it lacks. Seed, runtype table. */
const REFUSED_RUNTYPES: readonly { pattern: RegExp; why: string }[] = [
  { pattern: /^args$/, why: "keeps the image's own entrypoint, so that the runner would not be started" },
  { pattern: /^jupyter/, why: "opens a notebook server on the machine, which a test job has no use for" },
  { pattern: /^ssh$/, why: "was seen not to be reachable" },
];

/** The inputs that say what the machine is to be, by their names in action.yml. */
export const MACHINE_INPUTS = {
  image: imageField(),
  "image-login": textField({
    pattern: /^-u [^\s'"\\]+ -p [^\s'"\\]+ [a-z0-9][a-z0-9.-]*(:\d{1,5})?(\/[a-z0-9._/-]*)?$/,
    words: "-u USER -p TOKEN REGISTRY, in that order, without quotes",
  }),
  "template-hash-id": textField({
    pattern: /^[A-Za-z0-9]{8,128}$/,
    words: "a template's hash_id (not its number), as the service's console shows it",
  }),
  "template-name": textField({
    pattern: /^[^\p{Cc}\p{Cf}]{1,256}$/u,
    words: "a template's whole name in one line, as the service's console shows it",
  }),
  runtype: runtypeField(),
  disk: numberField({ min: 8, max: 65_536, unit: "GB", fallback: "32" }),
  env: envField(),
  setup: shellField(MOST_SETUP_CHARACTERS),
  "setup-timeout": durationField({ min: "10s", max: "2h", fallback: "10m" }),
  probe: probeField(),
  "boot-timeout": durationOrAutoField({ min: "30s", max: "2h" }),
};

/** A name that no registry can have is refused here: each machine rented for it would fail. */
function imageField() {
  return field((text) => {
    if (text === "" || readImageName(text) !== undefined) return text;
    const wrong = /:(?:@|$)/.test(text) ? "has an empty tag (is a variable unset?)" : "is not valid";
    return new Fault(`${wrong}, allowed is a container image, such as pytorch/pytorch:2.8.0-cuda12.8-cudnn9-runtime`);
  }, "");
}

function runtypeField() {
  return field((text): "ssh_proxy" | "ssh_direct" | Fault => {
    const choice = text.toLowerCase();
    if (choice === "ssh_proxy" || choice === "ssh_direct") return choice;
    const refused = REFUSED_RUNTYPES.find(({ pattern }) => pattern.test(choice));
    return new Fault(`${refused ? refused.why : "is not valid"}, allowed is ssh_proxy or ssh_direct`);
  }, "ssh_proxy");
}

/** Lines of bash that travel in a variable: of control characters only line ends and tabs. */
function shellField(most: number) {
  return field((text) => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
    if (/[\u0000-\u0008\u000b-\u001f\u007f]/.test(text.replaceAll("\r\n", "\n")))
      return new Fault("holds control characters, allowed are lines of shell");
    if (text.length > most) return new Fault(`is too long, allowed are ${most} characters`);
    return text.replaceAll("\r\n", "\n");
  }, "");
}

function probeField() {
  const lines = shellField(MOST_PROBE_CHARACTERS);
  return lines.refine((text) => !text.includes("\n"), {
    error: "has more than one line, allowed is one line of shell (use setup for more)",
  });
}
