/**
 * The private port of a process: `/metrics` for Prometheus, `/healthz/deep` for operators, `/livez` and `/readyz` for supervisors of
 * workers, which have no other port. Invariant: it is closed unless a port is configured, and listens on the local machine unless
 * configured otherwise.
 */
import { createServer, type ServerResponse } from 'node:http'
import type { Config } from '../../config/config.ts'
import { PortTaken } from '../../config/values.ts'
import { whyNotReady } from '../../platform/http/health.ts'
import type { Log } from '../../platform/process/log.ts'
import { checkDeeply, type DeepHealthDeps } from './deep-health.ts'
import { createFigures, type FiguresDeps } from './figures.ts'

export type MetricsDeps = Omit<DeepHealthDeps, 'health'> & FiguresDeps & { config: Pick<Config, 'metrics' | 'dataDir'>; log: Log }

export type MetricsPort = { close(): Promise<void> }

function answer(response: ServerResponse, status: number, contentType: string, text: string): void {
  response.writeHead(status, { 'content-type': contentType, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
  response.end(text)
}

const json = (response: ServerResponse, status: number, body: object): void =>
  answer(response, status, 'application/json; charset=utf-8', `${JSON.stringify(body, null, 2)}\n`)

/** Opens the port; without a configured port there is nothing to close. */
export async function openMetricsPort(deps: MetricsDeps, isDraining: () => boolean = () => false): Promise<MetricsPort> {
  const { host, port } = deps.config.metrics
  if (port === undefined) return { close: async () => undefined }
  // Separate connections: a busy process can still report its health.
  const health = { db: deps.settlingDb, isDraining }
  const bringUpToDate = createFigures(deps)

  async function serve(url: string, response: ServerResponse): Promise<void> {
    const [path] = url.split('?')
    if (path === '/metrics') {
      await bringUpToDate()
      const { contentType, text } = await deps.meters.render()
      return answer(response, 200, contentType, text)
    }
    if (path === '/healthz/deep') {
      const { ok, checks } = await checkDeeply({ ...deps, health })
      return json(response, ok ? 200 : 503, { status: ok ? 'ok' : 'ailing', checks })
    }
    if (path === '/livez') return json(response, 200, { status: 'ok' })
    if (path === '/readyz') {
      const reason = await whyNotReady(health)
      return json(response, reason === undefined ? 200 : 503, { status: reason ?? 'ok' })
    }
    return json(response, 404, { status: 'There are /metrics, /healthz/deep, /livez and /readyz here.' })
  }

  const server = createServer({ requestTimeout: 10_000, headersTimeout: 5_000 }, (request, response) => {
    serve(request.url ?? '/', response).catch((error: unknown) => {
      deps.log.error('metrics.failed', error)
      json(response, 500, { status: 'error' })
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? new PortTaken(port, 'METRICS_PORT') : error),
    )
    server.listen({ host, port }, resolve)
  })
  deps.meters.countRuntime()
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
