/** A cell: one of several installations behind one proxy. The money of its merchants has homes of one range. */
import { lastHome, type HomeRange } from '../ids.ts'
import { Refusal } from '../refusal.ts'

/** With an empty name there are no cells, and nothing is refused. */
export type Cell = { readonly name: string; readonly homes: HomeRange }

export function ownsHome({ name, homes }: Cell, home: number): boolean {
  // No cell has a home above the last one: such an id is mistyped, and nothing has it.
  return name === '' || home > lastHome || (home >= homes.first && home <= homes.last)
}

/** An address that carries nothing else by which a proxy could find the cell. */
export const withCell = (url: string, name: string): string => (name === '' ? url : `${url}?cell=${name}`)

/** What a cell says at `/readyz`: the proxy sends nothing to a server whose settings are not those of the file of the cells. */
export const cellHeader = 'malipo-cell'
export const cellInHeader = (name: string, { first, last }: HomeRange): string => `${name} ${first}-${last}`

export const wrongCell = (): Refusal =>
  new Refusal(
    421,
    'wrong_cell',
    'This request belongs to another cell, or what it names does not exist. Send it to the public address of the API.',
  )
