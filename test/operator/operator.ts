/** The operator who follows the pages: runs their blocks in a fresh machine, and looks at what came out. */
import { commandBlocks } from './pages.ts'
import { plans } from './blocks.ts'
import { CommandFailed, type Machine } from './machine.ts'
import type { Answer, CallOptions } from '../app.ts'

export class BlockFailed extends Error {}

/** What the operator has learned on the way. A step that reads a fact comes after the one that sets it. */
export type Facts = {
  operator: { email: string; password: string; secret: string }
  /** Every mail that the service has sent, the newest last. */
  mails: { to: string; text: string }[]
  /** A verified merchant, signed in, with a test key and a test page. */
  shop: { email: string; password: string; token: string; userId: string; key: string; slug: string }
}

export type Operator = ReturnType<typeof createOperator>

/** The pages are read from `tree`, the repository whose operations are tried. */
export function createOperator(machine: Machine, tree: string) {
  const blocks = new Map(commandBlocks(tree).map((block) => [block.name, block]))
  const ran = new Set<string>()
  /** Runs a block of a page as its plan says. Returns what it prints. */
  async function block(name: string): Promise<string> {
    const [found, plan] = [blocks.get(name), plans[name]]
    if (found === undefined) throw new BlockFailed(`No page has the block ${name}.`)
    if (plan === undefined || 'skipped' in plan) throw new BlockFailed(`test/operator/blocks.ts does not run ${name}.`)
    let { text } = found
    for (const [from, to] of Object.entries(plan.replace ?? {})) {
      if (!text.includes(from))
        throw new BlockFailed(`${name} does not contain ${from} any more: change test/operator/blocks.ts.`)
      text = text.replaceAll(from, to)
    }
    ran.add(name)
    const { as, folder, isOnline, typed, fails } = plan
    try {
      const shown = await (found.language === 'sql'
        ? machine.run('psql -v ON_ERROR_STOP=1 -d malipo', { as, input: text })
        : machine.run(text, {
            as,
            ...(folder !== undefined && { folder }),
            ...(isOnline && { isOnline }),
            ...(typed !== undefined && { input: `${typed}\n` }),
          }))
      if (fails !== undefined) throw new BlockFailed(`${name} did not fail, although ${fails}.\n${shown}`)
      return shown
    } catch (error) {
      if (!(error instanceof CommandFailed)) throw error
      if (fails !== undefined) return error.output
      throw new BlockFailed(`${name}, as ${as}\n${error.message}\n${error.output}`)
    }
  }

  /** One request to the API through the reverse proxy, or to another address of the machine. */
  async function call(method: string, path: string, { token, key, body, headers = {} }: CallOptions = {}): Promise<Answer> {
    const response = await fetch(new URL(path, 'https://api.malipo.example'), {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(key !== undefined && { 'x-api-key': key }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json')
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
  }

  return {
    machine,
    facts: {} as Facts,
    block,
    call,
    ran,
    /** Waits until a condition gives a value other than false or undefined. */
    async until<Value>(what: string, look: () => Promise<Value | false | undefined>, timeoutMs = 60_000): Promise<Value> {
      const deadline = performance.now() + timeoutMs
      let problem: unknown
      for (;;) {
        const value = await look().catch((error: unknown) => void (problem = error))
        if (value !== undefined && value !== false) return value
        if (performance.now() > deadline) throw new Error(`Not within ${timeoutMs / 1000} s: ${what}`, { cause: problem })
        await new Promise((resolve) => void setTimeout(resolve, 250))
      }
    },
  }
}
