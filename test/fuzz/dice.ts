/** Random numbers that can be repeated: every draw follows from a seed. */

export type Dice = {
  /** At least 0, below 1. */
  next(): number
  /** A whole number, both ends included. */
  between(least: number, most: number): number
  chance(share: number): boolean
  pick<Value>(values: readonly Value[]): Value
  /** Letters and digits. */
  word(length: number): string
}

/** Mulberry32, with the seed mixed first, so that neighbouring seeds give unrelated values. */
export function createDice(seed: string): Dice {
  let state = 0x811c9dc5
  for (const character of seed) state = Math.imul(state ^ character.codePointAt(0)!, 0x01000193)
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1))
  const pick = <Value>(values: readonly Value[]): Value => values[between(0, values.length - 1)]!
  const letters = '0123456789abcdefghijklmnopqrstuvwxyz'.split('')
  return {
    next,
    between,
    chance: (share) => next() < share,
    pick,
    word: (length) => Array.from({ length }, () => pick(letters)).join(''),
  }
}
