/**
 * HTTP routes of the API reference: a page on which Swagger UI shows /openapi.json and sends requests. Invariant: the page runs and
 * loads only files of this host, without inline scripts or styles.
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Http } from '../../platform/http/http.ts'
import { notFound } from '../../platform/refusal.ts'

const policy = [
  `default-src 'none'`,
  `script-src 'self'`,
  `style-src 'self'`,
  `img-src 'self' data:`,
  `connect-src 'self'`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
].join('; ')

const start = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  validatorUrl: null,
})
`

type File = { name: string; type: string; bytes: Buffer; compressed: Buffer }
type Reference = { html: string; files: ReadonlyMap<string, File> }

/** The name contains a hash of the content, so that every cache may keep the file. */
async function fileOf(name: string, extension: 'js' | 'css', bytes: Buffer): Promise<File> {
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 12)
  const type = extension === 'js' ? 'text/javascript; charset=utf-8' : 'text/css; charset=utf-8'
  return { name: `${name}-${hash}.${extension}`, type, bytes, compressed: await promisify(gzip)(bytes, { level: 9 }) }
}

async function readReference(): Promise<Reference> {
  const { resolve } = createRequire(import.meta.url)
  // The files that the plugin serves. `swagger-ui-dist`, from which they come, depends on a package that reports its installation.
  const read = (name: string): Promise<Buffer> => readFile(resolve(`@fastify/swagger-ui/static/${name}`))
  const [script, begin, style] = await Promise.all([
    fileOf('swagger-ui', 'js', await read('swagger-ui-bundle.js')),
    fileOf('start', 'js', Buffer.from(start)),
    fileOf('swagger-ui', 'css', await read('swagger-ui.css')),
  ])
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>API reference – Malipo</title>
<link rel="stylesheet" href="/reference/${style.name}">
<link rel="icon" href="data:,">
</head>
<body>
<main id="reference"><noscript>This page needs JavaScript. The same description for programs: <a href="/openapi.json">openapi.json</a></noscript></main>
<script src="/reference/${script.name}"></script>
<script src="/reference/${begin.name}"></script>
</body>
</html>
`
  return { html, files: new Map([script, begin, style].map((file) => [file.name, file])) }
}

export async function referenceRoutes(http: Http): Promise<void> {
  let reading: Promise<Reference> | undefined
  // Most processes show no page, so the files are read and compressed only on the first request.
  const reference = (): Promise<Reference> => (reading ??= readReference())

  http.get('/reference', { schema: { hide: true } }, async (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', policy)
      .header('cache-control', 'public, max-age=300')
      .send((await reference()).html),
  )
  http.get('/reference/:name', { schema: { hide: true } }, async (request, reply) => {
    const file = (await reference()).files.get((request.params as { name: string }).name)
    if (!file) throw notFound()
    const isCompressed = (request.headers['accept-encoding'] ?? '').includes('gzip')
    if (isCompressed) void reply.header('content-encoding', 'gzip')
    return reply
      .type(file.type)
      .header('vary', 'accept-encoding')
      .header('cache-control', 'public, max-age=31536000, immutable')
      .send(isCompressed ? file.compressed : file.bytes)
  })
}
