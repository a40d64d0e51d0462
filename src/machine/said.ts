/** Who is to blame for what a host, its Docker or a registry said. `going on`: nobody, it is a line of progress. */
export type TextBlame = "host" | "image" | "platform" | "login" | "driver" | "going on";

/** Layers that are pulled, and lines of a build. They may have any words of a program. */
const PROGRESS = new RegExp(
  [
    /(?:[0-9a-f]{12}|\w+-sha256:[0-9a-f]+): (?:Waiting|Retrying|Pulling|Downloading|Extracting|Verifying|Download complete|Pull complete|Already exists|done|exists)/,
    /\S+: (?:Pulling from|resolving) |Pulling (?:image|from) |Using default tag|Digest: sha256:|Status: (?:Downloaded|Image is up to date)/,
    /#\d+ (?!ERROR)|=> .*\d\.\ds\s*$|Step \d+\/\d+ :|---> /,
  ]
    .map(({ source }) => `^\\s*(?:${source})`)
    .join("|"),
  "i",
);

/** The words by which one is refused. The first row counts that has a word of the clause. */
const SAYINGS: readonly { blame: TextBlame; says: readonly RegExp[] }[] = [
  {
    blame: "driver",
    says: [
      /unsatisfied condition|requirement error|driver .{0,60}is insufficient|driver .{0,60}is too old/i,
      /built for NVIDIA Driver Release|please update your driver|forward compatibility/i,
    ],
  },
  {
    blame: "host",
    says: [
      // Registries that are busy or away.
      /toomanyrequests|too many requests|rate limit|rate exceeded|data limit exceeded|bad gateway|service unavailable/i,
      /gateway time-?out|internal server error|internal_error|(?:http|status)(?: code)?:? 5\d\d\b|code = unavailable/i,
      // The host's network, its clock and its certificates.
      /(?:i\/o|handshake|client\.) ?timeout|^timeout|timed out|deadline exceeded|no such host|server misbehaving|name resolution/i,
      /connection (?:reset|refused|lost|closed)|closed network connection|unexpected EOF|^EOF$|broken pipe|stream error/i,
      /no route to host|network is unreachable|certificate (?:has|signed|is)|^(?:dial|read|write) (?:tcp|udp|unix)|^lookup /i,
      /^(?:x509|tls|remote error|http2|net\/http|ttrpc|proxyconnect)\b/i,
      // Its disk and its memory.
      /no space left|disk quota|input\/output error|read-only file system|cannot allocate memory|structure needs cleaning/i,
      /too many open files|unexpected commit digest|failed size validation|layer verification failed|failed to register layer/i,
      /invalid tar header|layer does not exist/i,
      // Its Docker, its network of containers and its GPUs.
      /cannot connect to the docker daemon|container failed to start|already in use|already allocated|address in use/i,
      /\/var\/lib\/|\/run\/(?:docker|containerd)|device information|docker\.sock|overlay mount|mount overlay|devmapper|logging driver/i,
      /marked for removal|(?:no such|non running) container|container .{0,80}is not running|failed to start container|cgroup/i,
      /iptables|external connectivity|endpoint .{0,60} on network|address pool|pool overlaps/i,
      /^(?:content digest|blob|layer|snapshot|lease|task|shim|container|network|device) .{0,200}not found/i,
      // A container that can't be created, where nothing else says why.
      /^OCI runtime create failed\.?$/i,
      /unable to start instance|(?:no such|unknown|unknown or invalid) runtime|could not select device driver|"?nvidia-container/i,
      /\bnvml\b|driver\/library version mismatch|GPU is lost|communicate with the NVIDIA driver/i,
    ],
  },
  {
    blame: "platform",
    says: [
      /no matching manifest|no match for platform|no image found in|does not match the .{1,20} platform|exec format error/i,
      /image operating system|image os ".{0,40}" cannot/i,
    ],
  },
  {
    blame: "image",
    says: [
      /manifest unknown|^not found\b|^\S+[:@]\S+ not found|name unknown|repository name|reference does not exist|404 Not Found/i,
      /\b(?:manifest|repository|artifact|tag|image)\b.{0,200} (?:not found|(?:was|been) deleted|has expired)/i,
      /^repository .{0,200}does not exist|no such image|invalid reference format|invalid tag|HTTP response to HTTPS client/i,
      // It has no such program, no such user, or an old form.
      /\bexec$|no command specified|unable to find user|no matching entries in|schema ?1 support|media ?type|max depth/i,
    ],
  },
  {
    blame: "login",
    says: [
      /access (?:to .{0,60} is )?denied|^denied\b|no basic auth credentials|authentication required|authorization (?:required|failed)/i,
      /^unauthori[sz]ed\b|\b401 unauthori[sz]ed|\b403 forbidden|not authorized|permission .{0,200}denied on resource/i,
      /unauthenticated request|(?:do|does) not have .{0,20}permission|token has expired|incorrect username or password/i,
      /bad credentials|invalid username|login attempt|payment required/i,
    ],
  },
];

/** The decisive words stand at the end. More clauses than these are a text of nobody. */
const MOST_CHARACTERS = 1500;
const MOST_CLAUSES = 12;

/**
 * Says who is to blame for a text about a machine that does not run. The innermost clause decides, as each program puts
 * its words before those of the next. Undefined: unknown, or a wrapper alone.
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

/** Quoted names, addresses, and names of images. */
const NAMES =
  /"(?!nvidia-)[^"\s]{0,500}"|https?:\/\/\S{0,500}[^\s:]|(?<=\b(?:for|in|pull|image|repository|artifact) )[^\s/]{1,100}\/\S{0,400}[^\s:]/g;

/** Returns a text's clauses, the innermost first. A name is no word of one; *not found* belongs to what is not. */
function clausesOf(text: string): string[] {
  const bare = text
    .replace(NAMES, "…")
    .replace(/: not found\b/g, " not found")
    .replace(/[^\s/:]{1,100}\/\S{1,400}(?= not found)/g, "…:…");
  const [inner = "", ...outer] = bare.split(/stderr: /).toReversed();
  return [inner, ...outer]
    .flatMap((part) => part.split(/: /).toReversed())
    .map((clause) => clause.trim())
    .slice(0, MOST_CLAUSES);
}

/** Returns the CUDA version that a host lacks, by its words. */
export function namedCuda(text: string): number | undefined {
  return Number(/\bcuda *>= *(\d{1,2}(?:\.\d{1,2})?)/i.exec(text)?.[1]) || undefined;
}

/** Takes names, numbers and hexadecimal ids out of words, by which those of two hosts differ. */
export function unnamed(text: string): string {
  return text.replace(/"[^"]*"|'[^' ]*'|[^\s:,;()]*\d[^\s:,;()]*|\b[0-9a-f]{8,}\b/gi, "…");
}

/** What the machine's own script says as it gives itself back, by who is to blame. Any other word of it blames the host. */
export const OF_SCRIPT = {
  host: /^(?:This machine is no good: its clock|nvidia-smi) /,
  // Failures as root are not listed: if root can't install curl, a mirror may be away, and if root can't write, the disk
  // is broken.
  image:
    /^(?:Alpine images can't run |The image has glibc |There is no (?:nvidia-smi in|(?:curl, and|folder for) user [1-9]))/,
};
