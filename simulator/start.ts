/** Assembles the simulator and opens its port. Invariant: after `close()`, the books contain enough to continue. */
import helmet from '@fastify/helmet'
import fastify from 'fastify'
import { Admission } from './admission.ts'
import { Agenda } from './agenda.ts'
import { answerRoutes } from './answer-routes.ts'
import { Books } from './books.sql.ts'
import { clickPesaRoutes } from './clickpesa-routes.ts'
import { ClickPesaTokens } from './clickpesa-tokens.ts'
import { Charges } from './charges.ts'
import { Clock } from './clock.ts'
import type { SimulatorConfig } from './config.ts'
import { CreateFaults } from './create-faults.ts'
import { controlRefused, controlRoutes, refuseControl } from './control-routes.ts'
import { Holds } from './holds.ts'
import { Idempotency } from './idempotency.ts'
import { Numbering } from './numbering.ts'
import { paymentRoutes } from './payment-routes.ts'
import { Pauses } from './pauses.ts'
import { Payouts } from './payouts.ts'
import { payoutRoutes } from './payout-routes.ts'
import { phoneContentPolicy } from './phone-frame.ts'
import { phoneRoutes } from './phone-routes.ts'
import { cut, createServe, send } from './serve.ts'
import { Storm } from './storm.ts'
import { fromConfig } from './switches.ts'
import { truthRoutes } from './truth.ts'
import { eventFormats } from './event-formats.ts'
import { Webhooks } from './webhooks.ts'
import { ConnectionCut, ProviderRefusal, refused } from './wire.ts'

export type Simulator = {
  url: string
  port: number
  /** Stops answering, sending and playing. Deliveries and steps in progress run again at the next start. */
  close: () => Promise<void>
}

const bodyLimitBytes = 256 * 1024

/** `report` receives bugs, never refusals. `now` is the machine's clock: milliseconds since 1970. */
export async function startSimulator(
  config: SimulatorConfig,
  deps: { now?: () => number; report?: (error: unknown) => void } = {},
): Promise<Simulator> {
  const clock = new Clock(deps.now ?? Date.now)
  const { now } = clock
  const report =
    deps.report ?? ((error: unknown) => process.stderr.write(`${JSON.stringify({ level: 'error', msg: String(error) })}\n`))
  const books = new Books(config.dataDir, config.openingBalanceTzs)
  const seed = books.seed(config.seed)
  const numbering = new Numbering(seed, () => books.nextNumber())
  const switches = fromConfig(config)
  const storm = new Storm({ books, seed, now })
  const holds = new Holds()
  const pauses = new Pauses()
  const agenda = new Agenda(books, now, report)
  const webhooks = new Webhooks({ books, agenda, switches, holds, config, now })
  const formatOf = eventFormats({ config, switches })
  const charges = new Charges({ books, agenda, storm, switches, formatOf, webhooks, numbering, now })
  const payouts = new Payouts({ books, agenda, storm, switches, formatOf, webhooks, numbering, now })
  const createFaults = new CreateFaults({ pauses, storm, switches })
  const idempotency = new Idempotency({ books, switches, now })
  const admission = new Admission({ config, switches, now })
  const beforeAnswer = async (): Promise<void> => {
    await holds.pass('create')
    await pauses.wait(switches.latencyMs)
  }

  const app = fastify({ bodyLimit: bodyLimitBytes, forceCloseConnections: true, return503OnClosing: false })
  // Idempotency compares the exact bytes, so no parser may run before it.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  await app.register(helmet, {
    contentSecurityPolicy: phoneContentPolicy,
    // The policy says who may frame the phone.
    xFrameOptions: false,
    strictTransportSecurity: false,
    crossOriginOpenerPolicy: false,
    originAgentCluster: false,
  })
  app.addHook('onRequest', async (request, reply) => {
    // The phone and the controls have no login: a page of another site must not press their buttons in a developer's browser.
    const fromElsewhere = request.headers['sec-fetch-site'] === 'cross-site' && request.method !== 'GET'
    if (fromElsewhere) return await reply.code(403).send({ error: 'cross-site requests are refused' })
    if (request.method !== 'GET' || !/^\/(v1|clickpesa)\//.test(request.url)) return
    await pauses.wait(switches.latencyMs + storm.readDelayMs(request.url))
  })
  app.setErrorHandler(async (error, request, reply) => {
    if (error instanceof ConnectionCut) return cut(reply)
    const refusal = controlRefused(error)
    if (refusal) return await refuseControl(reply, refusal)
    const status =
      error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : 500
    if (status >= 500) report(error)
    return await reply
      .code(status)
      .send({ status: 'error', code: status, error_code: 'internal_error', message: 'request failed' })
  })
  app.setNotFoundHandler(
    async (_request, reply) => await send(reply, refused(new ProviderRefusal('notFound', 'route not found'), switches)),
  )

  const serve = createServe({ admission, switches })
  paymentRoutes(app, { books, charges, config, createFaults, idempotency, now, storm, switches, beforeAnswer }, serve)
  payoutRoutes(app, { books, payouts, config, createFaults, idempotency, now, storm, switches, beforeAnswer }, serve)
  const tokens = new ClickPesaTokens({ config, switches, now })
  clickPesaRoutes(app, { admission, books, charges, config, createFaults, now, payouts, storm, switches, tokens, beforeAnswer })
  if (config.hasControls) {
    truthRoutes(app, { books, now })
    controlRoutes(app, { agenda, books, charges, clock, holds, payouts, storm, switches, webhooks, now })
  }
  answerRoutes(app, { books, charges, config })
  phoneRoutes(app, { books, charges, config, now })

  const stop = async (): Promise<void> => {
    pauses.close()
    const stopped = agenda.stop()
    await webhooks.close()
    holds.release('create')
    holds.release('webhooks')
    await app.close()
    await stopped
    books.close()
  }

  try {
    await app.listen({ host: config.host, port: config.port })
  } catch (error) {
    await stop()
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
      throw new Error(
        `Port ${config.port} is in use by another program. Stop it, or set SIMULATOR_PORT to a free port, as in SIMULATOR_PORT=4300.`,
        { cause: error },
      )
    }
    throw error
  }
  agenda.start()
  const address = app.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : config.port
  let closing: Promise<void> | undefined
  return {
    url: `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`,
    port,
    close: () => (closing ??= stop()),
  }
}
