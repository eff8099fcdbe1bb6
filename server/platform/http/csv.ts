/**
 * Lists as CSV. Invariant: the next page is read from the database only when the client has received the previous one, so an
 * export holds one page in memory and no transaction while a client reads slowly; and no cell can become a formula in a
 * spreadsheet.
 */
import { Readable } from 'node:stream'
import { stringify } from 'csv-stringify/sync'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Log } from '../process/log.ts'

type Cell = string | number | null

/** A client that reads nothing for this long counts as gone, even if its connection is open. */
const stallMs = 120_000

/** The client's preference for a media type, 0 to 1; undefined when the client does not name the type. */
function weightOf(accept: string, mediaType: string): number | undefined {
  for (const range of accept.toLowerCase().split(',')) {
    const [name, ...parameters] = range.split(';').map((part) => part.trim())
    if (name !== mediaType) continue
    const weight = parameters.find((parameter) => parameter.startsWith('q='))
    return weight === undefined ? 1 : Number(weight.slice(2)) || 0
  }
  return undefined
}

/** Whether the client asks for a file of this type by name; otherwise the answer is JSON. */
export function wantsFile({ headers: { accept = '' } }: Pick<FastifyRequest, 'headers'>, mediaType: string): boolean {
  const weight = weightOf(accept, mediaType) ?? 0
  return weight > 0 && weight >= (weightOf(accept, 'application/json') ?? 0)
}

export function wantsCsv(request: Pick<FastifyRequest, 'headers'>): boolean {
  return wantsFile(request, 'text/csv')
}

/** Lines in the format of RFC 4180. A text that a spreadsheet would calculate gets a leading apostrophe; a number stays a number. */
export function csvLines(rows: Cell[][]): string {
  return stringify(rows, { record_delimiter: 'windows', escape_formulas: true })
}

/** The response schema of a route that sends its list as JSON or as CSV. */
export function jsonOrCsv<Schema extends z.ZodType>(json: Schema) {
  return { content: { 'application/json': { schema: json }, 'text/csv': { schema: z.string() } } }
}

export async function* mapPages<Item>(pages: AsyncIterable<Item[]>, toCells: (item: Item) => Cell[]): AsyncGenerator<Cell[][]> {
  for await (const items of pages) yield items.map(toCells)
}

async function* textOf(header: string[], pages: AsyncIterable<Cell[][]>, isTaken: () => void): AsyncGenerator<string> {
  yield csvLines([header])
  for await (const rows of pages) {
    isTaken()
    yield csvLines(rows)
  }
}

/** Sends a header line and the lines of `pages`, read as fast as the client receives them, and stops reading when the client is gone. */
export function sendCsv(
  deps: { log: Log },
  request: Pick<FastifyRequest, 'id' | 'method'>,
  reply: FastifyReply,
  file: { name: string; header: string[]; pages: AsyncIterable<Cell[][]> },
): FastifyReply {
  void reply
    .type('text/csv; charset=utf-8; header=present')
    .header('content-disposition', `attachment; filename="${file.name}.csv"`)
    .header('vary', 'Accept')
  // For HEAD, a stream would be read to its end for nothing.
  if (request.method === 'HEAD') return reply.send('')
  const stalled = setTimeout(() => body.destroy(new Error('The client of an export takes nothing.')), stallMs)
  const body = Readable.from(
    textOf(file.header, file.pages, () => stalled.refresh()),
    { objectMode: false },
  )
  body.on('error', (error) => deps.log.error('export.interrupted', error, { request_id: request.id }))
  body.on('close', () => clearTimeout(stalled))
  return reply.send(body)
}

/** The date of a time in East Africa, which has no daylight saving time. */
export function dayOf(moment: Date): string {
  return new Date(moment.getTime() + 3 * 3_600_000).toISOString().slice(0, 10)
}
