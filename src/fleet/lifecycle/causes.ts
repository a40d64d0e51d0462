/** Who can mend what ended a machine. `unknown`: no job came to it, and nobody knows why. */
type Blame = "unknown" | "host" | "image" | "account" | "github";

/** What ended machines before they could work, or under their work: the words for it, and what to do. */
export interface EndCause {
  blame: Blame;
  one: string;
  /** The words for several, where they differ. */
  many?: string;
  /** What to do where most machines ended like this. */
  todo: string;
}

const AGAIN = "Run the job again; if it happens again, raise min-reliability or attempts.";

/** All causes, with their blame. Report tells them by these words. */
export const CAUSES = {
  boot: {
    blame: "host",
    one: "too slow to boot",
    todo: "Run the job again, use a smaller image, or raise boot-timeout.",
  },
  online: {
    blame: "host",
    one: "whose runner stayed offline",
    many: "whose runners stayed offline",
    todo: "Run the job again, or raise online-timeout; the log has each machine's last lines.",
  },
  preparing: {
    blame: "host",
    one: "that ended itself while it prepared",
    many: "that ended themselves while they prepared",
    todo: "Look at the image first, not at the market. It needs glibc, and a package manager or curl.",
  },
  image: {
    blame: "image",
    one: "that could not pull the image",
    todo: "Check the image's name and tag, and image-login if it is private.",
  },
  login: {
    blame: "image",
    one: "that the image's registry refused",
    todo: "Set image-login, with a token that may pull this image: it may have expired. A registry refuses a mistyped name like this, too.",
  },
  platform: {
    blame: "image",
    one: "for whose platform there is no image",
    todo: "The image has no linux/amd64: build it with `--platform linux/amd64`.",
  },
  driver: {
    blame: "image",
    one: "whose driver is too old for the image",
    many: "whose drivers are too old for the image",
    todo: "Set min-cuda to the CUDA version that the image needs.",
  },
  "unfit-image": {
    blame: "image",
    one: "whose image lacks what the runner needs",
    todo: "Look at the image, not at the hosts. It needs glibc 2.28 or newer, which Alpine lacks, and a folder that its user may write to. Its NVIDIA_DRIVER_CAPABILITIES, if set, need utility. It also needs curl, or a package manager and a user who may install curl.",
  },
  runner: {
    blame: "host",
    one: "whose runner ended before a job came",
    many: "whose runners ended before a job came",
    todo: "Look at what the runner said, then at githubstatus.com. Else run the job again.",
  },
  idle: {
    blame: "unknown",
    one: "to which no job came",
    todo: "Look at githubstatus.com, and whether the runner's group lets this repository use it. Else run the job again.",
  },
  "passed-over": {
    blame: "github",
    one: "to which GitHub gave no job",
    todo: "Look at githubstatus.com, and whether the runner's group lets this repository use it.",
  },
  machine: { blame: "host", one: "broken host", many: "broken hosts", todo: AGAIN },
  refused: {
    blame: "account",
    one: "that the service refused",
    todo: "Look at what the service said: it may be the bid, or the account's credit or limits.",
  },
  price: {
    blame: "host",
    one: "dearer than max-price",
    todo: "Raise max-price, or run the job again.",
  },
  outbid: { blame: "account", one: "outbid", todo: "Raise bid-price, or set bid-fallback: true." },
  stopped: {
    blame: "account",
    one: "that the service stopped",
    todo: "Look at the account's credit: without any the service stops all machines. Else run the job again.",
  },
  lost: { blame: "host", one: "lost", todo: AGAIN },
} as const satisfies Record<string, EndCause>;

export type CauseName = keyof typeof CAUSES;

/** What follows from a blame: an attempt is used, the host is paused, and the history counts it as failed. */
export const FOLLOWS: Readonly<Record<Blame, { attempt: boolean; pause: boolean; history: boolean }>> = {
  unknown: { attempt: true, pause: false, history: false },
  host: { attempt: true, pause: true, history: true },
  image: { attempt: true, pause: true, history: false },
  account: { attempt: true, pause: true, history: false },
  // It counts only once another host has served, and then the attempts count anew.
  github: { attempt: false, pause: true, history: true },
};
