type Given = Readonly<Record<string, string>>;

/** A thing that inputs get wrong together, told under the name of one of them. */
interface CrossCheck {
  name: string;
  broken: (given: Given) => boolean;
  wrong: string;
}

const CHECKS: readonly CrossCheck[] = [
  {
    name: "bid-price",
    broken: (given) => has(given, "bid-price") && !isWord(given, "pricing", "bid"),
    wrong: "is for interruptible machines only, allowed is none without pricing: bid",
  },
  {
    name: "bid-price",
    broken: (given) => Number(given["bid-price"]) > Number(given["max-price"]),
    wrong: "is more than max-price, allowed is at most what max-price leaves beside the storage",
  },
  {
    name: "bid-fallback",
    broken: (given) => isTrue(given, "bid-fallback") && !isWord(given, "pricing", "bid"),
    wrong: "has nothing to fall back from, allowed is false without pricing: bid",
  },
  {
    name: "volume-mount-path",
    broken: (given) => has(given, "volume-id") && !has(given, "volume-mount-path"),
    wrong: "is missing, allowed is the absolute path where volume-id is to appear",
  },
  ...["volume-mount-path", "volume-size"].map((name) => ({
    name,
    broken: (given: Given) => has(given, name) && !has(given, "volume-id"),
    wrong: "says something of a volume, allowed is none without volume-id",
  })),
  {
    name: "volume-create-new",
    broken: (given) => isTrue(given, "volume-create-new") && !has(given, "volume-id"),
    wrong: "needs a volume offer, allowed is true only with volume-id",
  },
  {
    name: "volume-size",
    broken: (given) => isTrue(given, "volume-create-new") && !has(given, "volume-size"),
    wrong: "is missing, allowed is the size of the new volume in GB",
  },
  {
    name: "volume-size",
    broken: (given) => has(given, "volume-size") && has(given, "volume-id") && !isTrue(given, "volume-create-new"),
    wrong: "can't change a volume that exists, allowed is none without volume-create-new: true",
  },
  {
    // Each machine that failed would leave a volume behind, which bills on when the machine is destroyed.
    name: "attempts",
    broken: (given) => isTrue(given, "volume-create-new") && Number(given.attempts || 4) !== 1,
    wrong: "would leave a volume behind with each machine that fails, allowed is 1 with volume-create-new: true",
  },
];

/** What is wrong with inputs together that are well each by itself. */
export function crossFaults(given: Given): { name: string; wrong: string }[] {
  return CHECKS.filter(({ broken }) => broken(given)).map(({ name, wrong }) => ({ name, wrong }));
}

function textOf(given: Given, name: string): string {
  return (given[name] ?? "").trim().toLowerCase();
}

function has(given: Given, name: string): boolean {
  return textOf(given, name) !== "";
}

function isTrue(given: Given, name: string): boolean {
  return isWord(given, name, "true");
}

function isWord(given: Given, name: string, word: string): boolean {
  return textOf(given, name) === word;
}
