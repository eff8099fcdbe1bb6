/** Removes a guard from a text. Invariant: an edit applies in one place only, so that it never removes anything else. */

/** `from` occurs in the file exactly once. */
export type Edit = { file: string; from: string; to: string }

/** A test by its file and the beginning of its name. */
export type NamedTest = { file: string; name: string }

/** A guard, the edits that remove it, and the tests that must notice. */
export type Mutant = { name: string; guard: string; edits: Edit[]; tests: NamedTest[] }

/** The changed files by their path; a message where an edit does not apply. */
export function mutated({ edits }: Mutant, read: (file: string) => string): Map<string, string> | string {
  const changed = new Map<string, string>()
  for (const { file, from, to } of edits) {
    const text = changed.get(file) ?? read(file)
    const places = text.split(from).length - 1
    if (places !== 1) return `${file} has ${places} places like ${JSON.stringify(from.slice(0, 80))}`
    changed.set(
      file,
      text.replace(from, () => to),
    )
  }
  return changed.size === 0 ? 'there is nothing to change' : changed
}
