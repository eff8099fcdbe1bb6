/** Registers one test for each door of a row, and refuses to begin when the table names other doors for this file. */
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { test, type TestContext } from 'node:test'
import { mustMatch } from '../must-match.ts'
import { realWorld } from './table.ts'

/**
 * `title` has the rows in brackets. `doors` are those whose proof in the table is this file. A door that needs more than one line of
 * preparation makes its own.
 */
export function atDoors<Door>(
  { url }: ImportMeta,
  title: string,
  doors: Record<string, Door>,
  attempt: (door: Door, t: TestContext) => Promise<void>,
): void {
  const file = basename(fileURLToPath(url))
  for (const id of /\[(.*)\]$/.exec(title)![1]!.split(', ')) {
    const row = realWorld.find((one) => one.id === id)
    const listed = Object.entries(row?.doors ?? {}).flatMap(([door, proof]) =>
      proof === `test/real-world/${file}` ? [door] : [],
    )
    mustMatch(Object.keys(doors), listed, {
      add: (door) => `give ${id} the door ${door} in test/real-world/table.ts`,
      remove: (door) => `try the input of ${id} at the door ${door} in ${file}`,
    })
  }
  for (const [name, door] of Object.entries(doors)) test(`${title} · ${name}`, (t) => attempt(door, t))
}
