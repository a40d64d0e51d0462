/** Who is to blame for what a host, its Docker or a registry said. `going on`: nobody, it is a line of progress. */
export type TextBlame = "host" | "image" | "platform" | "login" | "driver" | "going on";

/** Layers that are pulled, and lines of a build. They may have any words of a program. */
const PROGRESS =
  /^\s*(?:[0-9a-f]{12}: (?:Waiting|Retrying|Pulling|Downloading|Extracting|Verifying|Download complete|Pull complete|Already exists)|#\d+ (?:\d+\.\d+ |\[)|=> .*\d\.\ds\s*$|Step \d+\/\d+ :)/i;

/** The words by which one is refused. The first row counts that has a word of the clause. */
const SAYINGS: readonly { blame: TextBlame; says: readonly RegExp[] }[] = [
  {
    blame: "driver",
    says: [/unsatisfied condition|requirement error|driver version is insufficient|driver .{0,60}is insufficient/i],
  },
  {
    blame: "host",
    says: [
      // Registries that are busy or away.
      /toomanyrequests|too many requests|rate limit|rate exceeded|data limit exceeded|bad gateway|service unavailable/i,
      /gateway time-?out|internal server error|(?:http|status)(?: code)?:? 5\d\d\b/i,
      // The host's network, its clock and its certificates.
      /(?:i\/o|handshake|client\.) ?timeout|timed out|deadline exceeded|no such host|server misbehaving|name resolution|unexpected EOF|^EOF$/i,
      /connection (?:reset|refused)|broken pipe|no route to host|network is unreachable|^x509$|certificate (?:has|signed|is)/i,
      // Its disk and its memory.
      /no space left|disk quota|input\/output error|read-only file system|cannot allocate memory|structure needs cleaning/i,
      /unexpected commit digest|layer verification failed|failed to register layer|invalid tar header/i,
      // Its Docker and its GPUs.
      /cannot connect to the docker daemon|container failed to start|already in use|already allocated|address in use/i,
      // A container that can't be created, where nothing else says why.
      /^OCI runtime create failed\.?$/i,
      /unable to start instance|(?:no such|unknown or invalid) runtime|could not select device driver|^nvidia-container-cli$/i,
    ],
  },
  {
    blame: "platform",
    says: [
      /no matching manifest|does not match the specified platform|exec format error|image operating system|image os ".{0,40}" cannot/i,
    ],
  },
  {
    blame: "image",
    says: [
      /manifest unknown|^not found\b|\bmanifest for .{0,200} not found|name unknown|repository name not known|404 Not Found/i,
      /^repository does not exist|no such image|invalid reference format|executable file not found in/i,
    ],
  },
  {
    blame: "login",
    says: [
      /access (?:to .{0,60} is )?denied|^denied\b|no basic auth credentials|authentication required|authorization required/i,
      /^unauthori[sz]ed\b|\b401 unauthori[sz]ed|\b403 forbidden|not authorized|permission .{0,200}denied on resource/i,
      /unauthenticated request|do not have permission|token has expired|incorrect username or password|payment required/i,
    ],
  },
];

/** The decisive words stand at the end. More clauses than these are a text of nobody. */
const MOST_CHARACTERS = 1500;
const MOST_CLAUSES = 12;

/**
 * Says who is to blame for a text of the service's about a machine that does not run yet. The innermost
 * clause that says anything decides, as each program puts its own words before those of the next one.
 * Undefined: the text is unknown, or a wrapper alone.
 */
export function judgeText(text: string): TextBlame | undefined {
  const end = text.trimEnd().slice(-MOST_CHARACTERS);
  const all = end.split(/[\r\n]+/).filter((line) => line.trim() !== "");
  // The first line may be the rest of one that was cut.
  const lines = all.length > 1 && text.length > MOST_CHARACTERS ? all.slice(1) : all;
  const said = lines.filter((line) => !PROGRESS.test(line));
  if (said.length === 0) return lines.length === 0 ? undefined : "going on";
  for (const clause of clausesOf(said.join(": "))) {
    const row = SAYINGS.find(({ says }) => says.some((words) => words.test(clause)));
    if (row !== undefined) return row.blame;
  }
  return undefined;
}

/** Returns the clauses of a text, the innermost first. Quoted names and addresses are no words of a clause. */
function clausesOf(text: string): string[] {
  const bare = text.replace(/"[^"\s]{0,500}"|https?:\/\/\S{0,500}/g, "…");
  const [inner = "", ...outer] = bare.split(/stderr: /).toReversed();
  return [inner, ...outer]
    .flatMap((part) =>
      part
        .split(/: /)
        .toReversed()
        .map((clause) => clause.trim()),
    )
    .slice(0, MOST_CLAUSES);
}
