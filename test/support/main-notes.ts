/** Reads one of main's notes for post out of its state: each is signed. Undefined: main did not write it. */
export function noteIn(state: Readonly<Record<string, string>>, name: string): string | undefined {
  return /^1\.[\w-]{22}\.(.*)$/s.exec(state[name] ?? "")?.[1];
}
