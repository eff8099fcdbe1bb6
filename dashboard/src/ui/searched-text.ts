/** The API searches for texts from this length on: one letter would match almost everyone. */
const leastTyped = 2

/** What the API is asked to find; undefined while too little is typed. */
export function searchedText(typed: string | undefined): string | undefined {
  const text = typed?.trim() ?? ''
  return text.length >= leastTyped ? text : undefined
}
