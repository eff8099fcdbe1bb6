/**
 * No operation of the class `ordinary` reaches a statement that writes what gives power: members, rules, keys, webhooks, hosts, contacts.
 * Reads the source: from the handler of each route along the functions of this file and the imported ones that it names.
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'
import { classOf } from '../server/accounts/identity/operation-classes.ts'

const root = join(import.meta.dirname, '..')

const power = 'members|approval_rules|api_keys|webhook_endpoints|redirect_hosts|support_contacts'
const writes = new RegExp(String.raw`(?:insert into|update|delete from)\s+(?:${power})\b`)

type Part = { names: Set<string>; isWriting: boolean; body: string }
type Source = { path: string; text: string; parts: Map<string, Part>; imports: Map<string, { path: string; name: string }> }

/** Names that a text uses, without those of properties. */
const namesIn = (text: string): Set<string> =>
  new Set(text.replace(/\/\*[^]*?\*\/|\/\/.*|'[^'\n]*'/g, ' ').match(/(?<![.\w])[a-z]\w*\b(?!\s*:[^:])/g))

function read(path: string): Source {
  const text = readFileSync(join(root, path), 'utf8')
  const starts = [...text.matchAll(/^(?:export )?(?:async )?(?:function|const) (\w+)/gm)]
  const parts = new Map<string, Part>()
  for (const [at, { 0: head, 1: name, index }] of starts.entries()) {
    const body = text.slice(index + head.length, starts[at + 1]?.index)
    parts.set(name!, { names: namesIn(body), isWriting: writes.test(body), body })
  }
  const imports = new Map<string, { path: string; name: string }>()
  for (const [, names, from] of text.matchAll(/import \{([^}]*)\} from '(\.[^']+)'/g)) {
    const source = relative(root, join(root, dirname(path), from!))
    for (const one of names!.split(',')) {
      const [name, local = name] = one.trim().split(' as ')
      if (name) imports.set(local!, { path: source, name })
    }
  }
  return { path, text, parts, imports }
}

const sources = new Map(
  globSync('server/**/*.ts', { cwd: root })
    .filter((path) => !path.endsWith('.test.ts'))
    .map((path) => [path, read(path)]),
)

/** The functions from these names of a file to one that writes power, if there is a way. */
function wayToPower(from: Source, start: Iterable<string>): string[] | undefined {
  const seen = new Set<string>()
  const queue: { source: Source; name: string; way: string[] }[] = [...start].map((name) => ({ source: from, name, way: [] }))
  for (let next = queue.shift(); next; next = queue.shift()) {
    const imported = next.source.imports.get(next.name)
    const source = imported ? sources.get(imported.path) : next.source
    const name = imported?.name ?? next.name
    const part = source?.parts.get(name)
    if (!source || !part || seen.has(`${source.path} ${name}`)) continue
    seen.add(`${source.path} ${name}`)
    const way = [...next.way, name]
    if (part.isWriting) return way
    for (const one of part.names) queue.push({ source, name: one, way })
  }
  return undefined
}

/** The declared routes of a file that change something, each with the names from its declaration to the end of its handler. */
function routesOf({ parts }: Source): { operation: string; names: Set<string> }[] {
  const declared = /^( *)(?:owner|person|operator|public)Route\([^{]*\{\n *route: [`'](?!GET)[^]*?^\1\}\)/gm
  return [...parts.values()].flatMap(({ body }) =>
    [...body.matchAll(declared)].flatMap(([route]) => {
      const operation = /operationId: [`']([\w${}.]+)[`']/.exec(route)?.[1]?.replace('${auth.name}', '')
      // The steps of every route write only when its key was last used.
      return operation === undefined ? [] : [{ operation, names: namesIn(route.replace(/\w+Route/, '')) }]
    }),
  )
}

test('no ordinary operation reaches a statement that writes members, rules, keys, webhooks, hosts or contacts', () => {
  const found: string[] = []
  const powerful = new Set<string>()
  let routes = 0
  for (const source of sources.values()) {
    for (const { operation, names } of routesOf(source)) {
      routes += 1
      const way = wayToPower(source, names)
      if (way) powerful.add(operation)
      if (way && classOf(operation) === 'ordinary') found.push(`${operation} (${source.path}): ${way.join(' → ')}`)
    }
  }
  assert.deepEqual(found, [])
  assert.ok(routes > 70, `${routes} routes were read`)
  for (const operation of [
    'inviteMember',
    'setApprovalRule',
    'createKey',
    'saveWebhook',
    'registerRedirectHost',
    'setSupportContact',
  ]) {
    assert.ok(powerful.has(operation), `${operation} is known to write what gives power`)
  }
})
