import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { stripScript } from "../../../../src/machine/script/pack-script.ts";

test("strips comment lines, blank lines and indentation, but not the first line", () => {
  const script = "#!/bin/bash\n\n# a\n  # b\nif true; then\n  echo 1 # stays\n\t\nfi\n\n";
  expect(stripScript(script)).toBe("#!/bin/bash\nif true; then\necho 1 # stays\nfi\n");
});

test("keeps what looks like comments and blanks within quotes", () => {
  const inside = "\n\n  # no comment\n  text\n";
  for (const quoted of [`'${inside}'`, `"${inside}"`, `$'${inside} \\' # '`, `"\\"${inside}"`]) {
    expect(stripScript(`echo ${quoted}\n`)).toBe(`echo ${quoted}\n`);
  }
});

test.each([
  "cat <<E\n  # kept\n\nE",
  "cat <<'END'\n  # it's kept\n\nEND",
  'cat <<"END"\n  # kept "\n\nEND',
  "cat <<-E\n\t# kept\n\n\tE",
  "cat <<A - <<B\n# one\nA\n  # two\nB",
])("keeps the here-document %j", (script) => {
  expect(stripScript(`${script}\n# gone\n  echo 1\n`)).toBe(`${script}\necho 1\n`);
});

test("is not led astray by signs that open nothing", () => {
  const lines = [
    "echo it\\'s",
    "x=1 # don't",
    `y=\${x#"'"}`,
    'read -r z <<<"$x"',
    "(true) # isn't",
    `echo "$(printf "%s" "it's")"`,
    `echo "\${x:-"$(echo ')')"}"`,
    "y=$(echo '(')",
    "z=(1 2 \\( 3)",
    "echo a#'b'",
  ];
  const kept = lines.join("\n");
  expect(stripScript(`:\n# don't\n${kept}\n  # gone\n`)).toBe(`:\n${kept}\n`);
});

test("strips within a command substitution, which is code again", () => {
  expect(stripScript('x="$(\n  # gone\n  echo 1\n)"\n# gone\n')).toBe('x="$(\necho 1\n)"\n');
});

test("keeps the line after a backslash as it is", () => {
  const script = "echo a\\\n  b \\\n  # c\n";
  expect(stripScript(script)).toBe(script);
  const quoted = 'echo "a \\\n  # b"\n';
  expect(stripScript(`${quoted}  # gone\n`)).toBe(quoted);
});

test("returns a script unchanged that it can't follow", () => {
  const script = "# a\necho $((1 << x))\n\n# b\n";
  expect(stripScript(script)).toBe(script);
});

test("does not change what a script does", () => {
  const script = `#!/bin/bash
# A comment.
show() {
  # Another.
  cat <<E
  # from "$1"

    indented
E
  printf '%s\\n' "a
  # b" 'c
    d' \\
    "$(echo "e # f")"   # the end
}

show "it's"
`;
  const run = (text: string) =>
    execFileSync("bash", ["-c", text], { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  expect(run(stripScript(script))).toBe(run(script));
  expect(stripScript(script)).not.toContain("Another");
});
