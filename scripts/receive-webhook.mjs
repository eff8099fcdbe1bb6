/**
 * A merchant's server in a few lines, to try webhooks: `node scripts/receive-webhook.mjs 4000`. It stores the exact bytes of the
 * last body in webhook.body and prints the headers for the signature check.
 */
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'

const port = Number(process.argv[2] ?? 4000)

createServer((request, response) => {
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    writeFileSync('webhook.body', Buffer.concat(chunks))
    writeFileSync('webhook.timestamp', String(request.headers['x-service-timestamp'] ?? ''))
    writeFileSync('webhook.signature', String(request.headers['x-service-signature'] ?? ''))
    console.log(`${request.headers['x-service-event']} ${Buffer.concat(chunks)}`)
    // Answer first, process later: the sender only waits for the answer.
    response.writeHead(200).end()
  })
}).listen(port, '127.0.0.1', () => console.log(`Listening on http://127.0.0.1:${port}`))
