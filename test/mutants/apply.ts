/**
 * Applies a change that is written as one line of text: the code as it reads now, with `[-what to remove-]` and `{+what to add+}`.
 * Line breaks, indentation and trailing commas do not count. Invariant: a change applies in one place only, so that it never
 * changes anything else.
 */

/** `change` marks what it removes and adds; the rest of it is the context that makes its place the only one. */
export type Edit = { file: string; change: string }

/** A test by its file and the beginning of its name. */
export type NamedTest = { file: string; name: string }

/** A guard, the edits that remove it, and the tests that must notice. `at` is the file and the line of its text. */
export type Mutant = { name: string; guard: string; at: string; edits: Edit[]; tests: NamedTest[] }

type Piece = { kind: 'keep' | 'remove' | 'add'; text: string }

function piecesOf(change: string): Piece[] {
  const pieces: Piece[] = []
  let end = 0
  for (const mark of change.matchAll(/\[-(.*?)-\]|\{\+(.*?)\+\}/gs)) {
    const [whole, removed, added] = mark
    pieces.push({ kind: 'keep', text: change.slice(end, mark.index) })
    pieces.push(removed === undefined ? { kind: 'add', text: added! } : { kind: 'remove', text: removed })
    end = mark.index + whole.length
  }
  return [...pieces, { kind: 'keep', text: change.slice(end) }]
}

/** A text without white space and trailing commas, and the place in the text of each character that is left. */
type Squeezed = { text: string; at: number[] }

function squeeze(text: string): Squeezed {
  const at = Array.from(text.matchAll(/(?!,\s*[)\]}])\S/g), ({ index }) => index)
  return { text: at.map((place) => text[place]).join(''), at }
}

const lineOf = (text: string, index: number): number => text.slice(0, index).split('\n').length

function placesOf(text: string, part: string): number[] {
  const places: number[] = []
  for (let place = text.indexOf(part); place >= 0; place = text.indexOf(part, place + 1)) places.push(place)
  return places
}

/** Where the file agrees longest with a text that it does not contain. */
function nearest(file: string, squeezed: Squeezed, wanted: string): string {
  let length = wanted.length
  while (length > 0 && !squeezed.text.includes(wanted.slice(0, length))) length -= 1
  if (length < 8) return 'It has nothing similar'
  const start = squeezed.at[squeezed.text.indexOf(wanted.slice(0, length))]!
  return `The nearest is line ${lineOf(file, start)}: ${file
    .slice(start, start + 160)
    .replaceAll(/\s+/g, ' ')
    .trim()}`
}

/** The changed text, or an object with what is wrong. */
function changedText(text: string, change: string): string | { problem: string } {
  const pieces = piecesOf(change)
  if (!pieces.some(({ kind }) => kind !== 'keep')) return { problem: 'it marks neither [-what to remove-] nor {+what to add+}' }
  const raw = pieces.map(({ kind, text: part }) => (kind === 'add' ? '' : part)).join('')
  const anchor = squeeze(raw.replace(/,\s*$/, ''))
  const file = squeeze(text)
  const [place, ...others] = placesOf(file.text, anchor.text)
  if (anchor.text === '' || place === undefined)
    return { problem: `the file has no such code. ${nearest(text, file, anchor.text)}` }
  if (others.length > 0) {
    const lines = [place, ...others].map((one) => lineOf(text, file.at[one]!))
    return { problem: `it fits lines ${lines.join(', ')}: copy more of the code around it, until it fits one place` }
  }
  let copied = file.at[place]!
  let result = text.slice(0, copied)
  let read = 0
  for (const piece of pieces) {
    if (piece.kind === 'add') {
      result += piece.text
      continue
    }
    read += piece.text.length
    const past = place + anchor.at.filter((index) => index < read).length
    let end = Math.max(copied, file.at[past - 1]! + 1)
    if (piece.kind === 'remove') {
      if (/,\s*$/.test(piece.text) && text[end] === ',') end += 1
    } else {
      // Space after the context stays before what is added.
      if (/\s$/.test(piece.text)) end = file.at[past] ?? end
      result += text.slice(copied, end)
    }
    copied = end
  }
  return result + text.slice(copied)
}

/** The changed files by their path; a message where an edit does not apply. */
export function mutated(edits: Edit[], read: (file: string) => string): Map<string, string> | string {
  const changed = new Map<string, string>()
  for (const { file, change } of edits) {
    const text = changedText(changed.get(file) ?? read(file), change)
    if (typeof text !== 'string') return `${file}, ${JSON.stringify(change.slice(0, 100))}: ${text.problem}`
    changed.set(file, text)
  }
  return changed.size === 0 ? 'there is nothing to change' : changed
}
