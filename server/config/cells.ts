/** Settings of an installation that is one of several cells: its name, and the homes that its new merchants get. */
import { z } from 'zod'
import { lastHome } from '../platform/ids.ts'
import type { Frozen, Given } from './values.ts'

export const cellName = z.string().regex(/^[a-z0-9]{2}$/, 'use two characters of a-z and 0-9')

/** `0-127`: whole pairs of homes, because a proxy that compares two characters of an id sees no single home. */
export const homeRange = z
  .string()
  .regex(/^\d{1,3}-\d{1,3}$/, 'write it as 0-127')
  .transform((text) => {
    const [first, last] = text.split('-').map(Number) as [number, number]
    return { first, last }
  })
  .refine(({ first, last }) => first % 2 === 0 && last % 2 === 1 && first < last && last <= lastHome, {
    message: `begin with an even number and end with an odd one, at most ${lastHome}`,
  })

export const cellVariables = {
  CELL: z.literal('').or(cellName).default(''),
  CELL_HOMES: homeRange.optional(),
}

/** A cell that took all homes by mistake would share some with another one, and a reference alone would not say which of them has it. */
export const cellProblems = (given: Readonly<Record<string, string>>): string[] =>
  (given['CELL'] ?? '') !== '' && given['CELL_HOMES'] === undefined
    ? ['CELL_HOMES: is not set: the homes of this cell, as in the file of the cells']
    : []

export function cellSettings(env: Given<typeof cellVariables>) {
  return {
    /** An empty name: this installation is not one of several. */
    cell: { name: env.CELL, homes: env.CELL_HOMES ?? { first: 0, last: lastHome } },
  }
}

export type CellSettings = Frozen<ReturnType<typeof cellSettings>>
