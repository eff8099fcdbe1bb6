/**
 * HTTP routes of the API reference: a page on which Swagger UI shows /openapi-merchants.json and sends requests. Invariant: the page runs and
 * loads only files of this host, without inline scripts or styles.
 */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Http } from '../../../platform/http/http.ts'
import { publicFile, sendPublicFile, type PublicFile } from '../../../platform/http/public-file.ts'
import { notFound } from '../../../platform/refusal.ts'
import { headOf } from './frame.ts'
import { referenceStyle } from './reference-look.ts'

const policy = [
  `default-src 'none'`,
  `script-src 'self'`,
  `style-src 'self'`,
  `img-src 'self' data:`,
  `connect-src 'self'`,
  `base-uri 'none'`,
  // The search in the head.
  `form-action 'self'`,
  `frame-ancestors 'none'`,
].join('; ')

const start = `SwaggerUIBundle({
  url: '/openapi-merchants.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'list',
  filter: true,
  defaultModelsExpandDepth: 0,
  syntaxHighlight: { theme: 'idea' },
  displayRequestDuration: true,
  validatorUrl: null,
})
`

type Asset = PublicFile & { name: string }
type Reference = { html: PublicFile; files: ReadonlyMap<string, PublicFile> }

/** The name contains a hash of the content, so that every cache may keep the file. */
function assetOf(name: string, extension: 'js' | 'css', content: string | Buffer): Asset {
  const file = publicFile(extension === 'js' ? 'text/javascript; charset=utf-8' : 'text/css; charset=utf-8', content)
  return { ...file, name: `${name}-${file.hash}.${extension}` }
}

async function readReference(): Promise<Reference> {
  const { resolve } = createRequire(import.meta.url)
  // The files that the plugin serves. `swagger-ui-dist`, from which they come, depends on a package that reports its installation.
  const read = (name: string): Promise<Buffer> => readFile(resolve(`@fastify/swagger-ui/static/${name}`))
  const script = assetOf('swagger-ui', 'js', await read('swagger-ui-bundle.js'))
  const begin = assetOf('start', 'js', start)
  const style = assetOf('swagger-ui', 'css', await read('swagger-ui.css'))
  const look = assetOf('look', 'css', referenceStyle)
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>API reference – Malipo</title>
<link rel="stylesheet" href="/reference/${style.name}">
<link rel="stylesheet" href="/reference/${look.name}">
<link rel="icon" href="data:,">
</head>
<body>
<a class="skip" href="#reference">Skip to the text</a>
${headOf('en', '/docs/sw?lang=sw', '', '')}<main id="reference"><noscript>This page needs JavaScript. The same description for programs: <a href="/openapi.json">openapi.json</a></noscript></main>
<script src="/reference/${script.name}"></script>
<script src="/reference/${begin.name}"></script>
</body>
</html>
`
  return {
    html: publicFile('text/html; charset=utf-8', html),
    files: new Map([script, begin, style, look].map((file) => [file.name, file])),
  }
}

export async function referenceRoutes(http: Http): Promise<void> {
  let reading: Promise<Reference> | undefined
  // Most processes show no page, so the files are read only on the first request.
  const reference = (): Promise<Reference> => (reading ??= readReference())

  http.get('/reference', { schema: { hide: true } }, async (request, reply) => {
    void reply.header('content-security-policy', policy)
    return sendPublicFile((await reference()).html, request, reply, 'public, max-age=300')
  })
  http.get('/reference/:name', { schema: { hide: true } }, async (request, reply) => {
    const file = (await reference()).files.get((request.params as { name: string }).name)
    if (!file) throw notFound()
    return sendPublicFile(file, request, reply, 'public, max-age=31536000, immutable')
  })
}
