/** Finds a part of the product by its exported name, wherever its file is, so that one bench measures commits with other folders. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const root = join(import.meta.dirname, '..')
/** The folders that are searched. A commit that moves the product to another folder adds that folder here. */
const folders = ['server/**/*.ts', 'test/*.ts']

let filesOf: Map<string, string[]> | undefined

function readExports(): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const file of globSync(folders, { cwd: root })) {
    if (file.endsWith('.test.ts')) continue
    const text = readFileSync(join(root, file), 'utf8')
    for (const [, name] of text.matchAll(/^export (?:async )?(?:function|const|class) (\w+)/gm))
      found.set(name!, [...(found.get(name!) ?? []), file])
  }
  return found
}

export async function findOptionalPart<Part>(name: string): Promise<Part | undefined> {
  filesOf ??= readExports()
  const [file, ...others] = filesOf.get(name) ?? []
  if (file === undefined) return undefined
  if (others.length > 0)
    throw new Error(`${[file, ...others].join(' and ')} all export ${name}: bench/find-part.ts cannot choose.`)
  const module = (await import(pathToFileURL(join(root, file)).href)) as Record<string, Part>
  return module[name]
}

/** A missing part fails when it is used, so that the lines without it can still be measured. */
export async function findPart<Part>(name: string): Promise<Part> {
  const part = await findOptionalPart<Part>(name)
  if (part !== undefined) return part
  const missing = () => {
    throw new Error(`No file of ${folders.join(' or ')} exports ${name}: name its successor in bench/product.ts.`)
  }
  return missing as Part
}
