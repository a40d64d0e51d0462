import { z } from "zod";

/** A platform, as an index or a configuration names it (OCI image specification, image-index.md and config.md). */
export const platformSchema = z.looseObject({
  os: z.string(),
  architecture: z.string(),
  variant: z.string().optional(),
});

/** Systems and architectures of Go's lists, which the specification refers to. */
const SYSTEM = /^(?:aix|android|darwin|freebsd|js|linux|netbsd|openbsd|solaris|wasip1|windows)$/;
const ARCHITECTURE = /^(?:386|amd64|arm|arm64|loong64|mips|mipsle|mips64|mips64le|ppc64|ppc64le|riscv64|s390x|wasm)$/;

const MACHINES = "linux/amd64";

/**
 * Names the platforms if all of them are certainly not linux/amd64. Undefined: one may be, because a
 * word that is not known proves nothing. `unknown` is what an index says of signatures and the like.
 */
export function onlyOthers(platforms: readonly (z.infer<typeof platformSchema> | undefined)[]): string | undefined {
  const images = platforms.filter((platform) => platform?.architecture !== "unknown");
  const names = images.map(({ os, architecture } = { os: "", architecture: "" }) =>
    SYSTEM.test(os) && ARCHITECTURE.test(architecture) ? `${os}/${architecture}` : MACHINES,
  );
  return names.length === 0 || names.includes(MACHINES) ? undefined : [...new Set(names)].slice(0, 6).join(", ");
}
