/** The file that names the cells of an installation, from which the configuration of the proxy is written. */
import { z } from 'zod'
import { cellName, homeRange } from '../../config/cells.ts'
import { CommandError } from '../../platform/process/commands.ts'

const addresses = z.array(z.string().regex(/^[\w.-]+:\d{1,5}$/, 'write it as host:port')).min(1)
const oneLine = z.string().regex(/^[^\p{Cc}]+$/u, 'write it on one line')
const hostName = z.string().regex(/^[a-z0-9.-]+$/, 'write a host name in lower case')

const cell = z.strictObject({
  name: cellName,
  homes: homeRange,
  /** Host names of this cell alone: what people open, and what only a directory could route. */
  hosts: z.array(hostName),
  api: addresses,
  checkout: addresses,
  /** Slugs that its merchants chose before there were cells, and that begin as those of another cell do. */
  slugs: z.array(z.string().regex(/^[a-z0-9-]{3,60}$/)).default([]),
})

const cellsFile = z
  .strictObject({
    /** What follows `bind` in HAProxy, for each of the two hosts. */
    bind: z.strictObject({ api: oneLine, checkout: oneLine }),
    /** The cell for requests that name none: the oldest, whose first keys, tokens and slugs carry no cell. */
    default: cellName,
    cells: z.array(cell).min(1),
  })
  .refine((file) => file.cells.some(({ name }) => name === file.default), { path: ['default'], message: 'no cell has this name' })
  .superRefine(({ cells }, context) => {
    const sorted = cells.toSorted((a, b) => a.homes.first - b.homes.first)
    sorted.forEach((one, place) => {
      const before = sorted[place - 1]
      if (before && one.homes.first <= before.homes.last)
        context.addIssue(`the cells ${before.name} and ${one.name} have the same homes`)
    })
    const unique = (what: string, values: string[]): void => {
      const twice = values.find((value, place) => values.indexOf(value) !== place)
      if (twice !== undefined) context.addIssue(`two cells have the ${what} ${twice}`)
    }
    unique(
      'name',
      cells.map(({ name }) => name),
    )
    unique(
      'host',
      cells.flatMap(({ hosts }) => hosts),
    )
    unique(
      'slug',
      cells.flatMap(({ slugs }) => slugs),
    )
  })

export type CellsFile = z.infer<typeof cellsFile>

export function readCellsFile(text: string): CellsFile {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new CommandError(`The file of the cells is not JSON: ${(error as Error).message}`)
  }
  const { data, error } = cellsFile.safeParse(value)
  if (data) return data
  const lines = error.issues.map(({ path, message }) => `  ${path.join('.') || 'the file'}: ${message}`)
  throw new CommandError(`The file of the cells is not right; docs/cells.md shows one.\n${lines.join('\n')}`)
}
