/**
 * References and ids. Invariant: each is drawn from the seed and a counter stored in the books, so it is repeatable under a seed
 * and never issued twice, also across restarts.
 */
import { createHash } from 'node:crypto'

export class Numbering {
  readonly #seed: string
  readonly #next: () => number

  constructor(seed: string, next: () => number) {
    this.#seed = seed
    this.#next = next
  }

  #draw(kind: string): string {
    return createHash('sha256').update(`${this.#seed}:${kind}:${this.#next()}`).digest('hex')
  }

  /** A UUID in the shape of version 4. */
  reference(kind: 'charge' | 'payout'): string {
    const hex = this.#draw(kind)
    const variant = ((Number.parseInt(hex.charAt(16), 16) & 3) | 8).toString(16)
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
  }

  eventId(): string {
    return `evt_${this.#draw('event').slice(0, 24)}`
  }

  /** In the form of Selcom's: `S` and eleven digits. */
  externalReference(): string {
    return `S${(BigInt(`0x${this.#draw('external').slice(0, 15)}`) % 100_000_000_000n).toString().padStart(11, '0')}`
  }
}
