/** The operator who follows the pages: runs their blocks in a fresh machine, and looks at what came out. */
import { Agent, request } from 'undici'
import { commandBlocks } from './pages.ts'
import { plans } from './blocks.ts'
import { CommandFailed, type Machine } from './machine.ts'

export class BlockFailed extends Error {}

export type Answer = { status: number; body: any }

export type Call = { token?: string; body?: unknown; headers?: Record<string, string> }

/** What the operator has learned on the way. A step that reads a fact comes after the one that sets it. */
export type Facts = {
  operator: { email: string; password: string; secret: string }
}

export type Operator = ReturnType<typeof createOperator>

/** The pages are read from `tree`, the repository whose operations are tried. */
export function createOperator(machine: Machine, tree: string) {
  const blocks = new Map(commandBlocks(tree).map((block) => [block.name, block]))
  const ran = new Set<string>()
  // Every name of the pages leads to this machine; the reverse proxy has a certificate of its own.
  const agent = new Agent({
    connect: { rejectUnauthorized: false, lookup: (_name, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]) },
  })

  /** Runs a block of a page as its plan says. Returns what it prints. */
  async function block(name: string, env: Record<string, string> = {}): Promise<string> {
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
    const { as, folder, isOnline, fails } = plan
    try {
      return await (found.language === 'sql'
        ? machine.run('psql -v ON_ERROR_STOP=1 -d malipo', { as, input: text })
        : machine.run(text, { as, env, ...(folder !== undefined && { folder }), ...(isOnline && { isOnline }) }))
    } catch (error) {
      if (error instanceof CommandFailed && fails !== undefined) return error.output
      if (error instanceof CommandFailed) throw new BlockFailed(`${name}, as ${as}\n${error.message}\n${error.output}`)
      throw error
    }
  }

  /** One request to an address of the service, over the reverse proxy where the address is https. */
  async function call(method: string, url: string, { token, body, headers = {} }: Call = {}): Promise<Answer> {
    const response = await request(url, {
      method: method as 'GET',
      dispatcher: agent,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.body.text()
    const isJson = String(response.headers['content-type']).includes('json')
    return { status: response.statusCode, body: isJson ? JSON.parse(text) : text }
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
      for (;;) {
        const value = await look().catch(() => undefined)
        if (value !== undefined && value !== false) return value
        if (performance.now() > deadline) throw new Error(`Not within ${timeoutMs / 1000} s: ${what}`)
        await new Promise((resolve) => void setTimeout(resolve, 250))
      }
    },
    /** Whether an address answers 200. */
    isReady: async (url: string): Promise<boolean> => (await call('GET', url)).status === 200,
  }
}
