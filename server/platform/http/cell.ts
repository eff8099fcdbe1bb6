/** A cell: one of several installations behind one proxy. The money of its merchants has homes of one range. */
import type { HomeRange } from '../ids.ts'
import { Refusal } from '../refusal.ts'

/** With an empty name there are no cells, and nothing is refused. */
export type Cell = { readonly name: string; readonly homes: HomeRange }

export function ownsHome({ name, homes }: Cell, home: number): boolean {
  return name === '' || (home >= homes.first && home <= homes.last)
}

/** An address that carries nothing else by which a proxy could find the cell. */
export const withCell = (url: string, name: string): string => (name === '' ? url : `${url}?cell=${name}`)

export const wrongCell = (): Refusal =>
  new Refusal(421, 'wrong_cell', 'This request belongs to another cell. Send it to the public address of the API.')
