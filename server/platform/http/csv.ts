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

/**
 * A sign that begins a formula, at the start of a text or after a character at which another language or setting of a spreadsheet ends a
 * cell: the file has commas, but a double click on it may split it at semicolons. Quotes and white space before the sign change nothing.
 */
const cellStart = String.raw`(^|[;|\t\v\f\r\n\u0085\u2028\u2029；｜])((?:[\s"\p{Cf}\p{Cc}])*)`
const signs = String.raw`=+\-@＝＋－＠﹢﹣﹦﹫−`
const formulas = new RegExp(`${cellStart}(?=[${signs}])`, 'gu')
const guarded = new RegExp(`${cellStart}'(?=[${signs}\\t\\r])`, 'gu')

/** A text that a spreadsheet shows as it is. A tab or a line break at its start is itself a sign of a formula. */
const plainText = (text: string): string => text.replace(/^(?=[\t\r])/, "'").replace(formulas, "$1$2'")

/** The text of which `plainText` made this one: a file of ours that is sent back has the texts that it had. */
export function readPlainText(plain: string): string {
  return plain.includes("'") ? plain.replace(guarded, '$1$2') : plain
}

/** Lines in the format of RFC 4180. A text that a spreadsheet would calculate gets an apostrophe; a number stays a number. */
export function csvLines(rows: Cell[][]): string {
  const plain = rows.map((row) => row.map((cell) => (typeof cell === 'string' ? plainText(cell) : cell)))
  return stringify(plain, { record_delimiter: 'windows' })
}

/** The response schema of a route that sends its list as JSON or as CSV. */
export function jsonOrCsv<Schema extends z.ZodType>(json: Schema) {
  return { content: { 'application/json': { schema: json }, 'text/csv': { schema: z.string() } } }
}

export async function* mapPages<Item>(pages: AsyncIterable<Item[]>, toCells: (item: Item) => Cell[]): AsyncGenerator<Cell[][]> {
  for await (const items of pages) yield items.map(toCells)
}

/** Asks before each page is passed on whether its reader may still see it; a refusal ends the list. */
export async function* whileAllowed<Page>(pages: AsyncIterable<Page>, mayStill: () => Promise<void>): AsyncGenerator<Page> {
  for await (const page of pages) {
    await mayStill()
    yield page
  }
}

/** The same lines for people who open the file in a spreadsheet. */
type Sheet = { header: string[]; toCells(cells: Cell[]): Cell[] }

/** By this mark at the start, spreadsheet programs read a file as UTF-8. */
const mark = '\ufeff'

async function* textOf(
  { header, sheet, pages }: { header: string[]; sheet?: Sheet | undefined; pages: AsyncIterable<Cell[][]> },
  isTaken: () => void,
): AsyncGenerator<string> {
  yield sheet ? mark + csvLines([sheet.header]) : csvLines([header])
  for await (const rows of pages) {
    isTaken()
    yield csvLines(sheet ? rows.map((row) => sheet.toCells(row)) : rows)
  }
}

/** Sends a header line and the lines of `pages`, read as fast as the client receives them, and stops when the client is gone or refused. */
export function sendCsv(
  deps: { log: Log },
  request: Pick<FastifyRequest, 'id' | 'method'>,
  reply: FastifyReply,
  file: {
    name: string
    header: string[]
    sheet?: Sheet | undefined
    pages: AsyncIterable<Cell[][]>
    mayStill: () => Promise<void>
  },
): FastifyReply {
  void reply
    .type('text/csv; charset=utf-8; header=present')
    .header('content-disposition', `attachment; filename="${file.name}.csv"`)
    .header('vary', 'Accept')
  // For HEAD, a stream would be read to its end for nothing.
  if (request.method === 'HEAD') return reply.send('')
  const stalled = setTimeout(() => body.destroy(new Error('The client of an export takes nothing.')), stallMs)
  const body = Readable.from(
    textOf({ ...file, pages: whileAllowed(file.pages, file.mayStill) }, () => stalled.refresh()),
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

/** The days that a list covers, for the name of its file: `start-…` if it has no start. */
export function daysOf(range: { createdFrom?: string | undefined; createdTo?: string | undefined }, asOf: Date): string {
  const from = range.createdFrom === undefined ? 'start' : dayOf(new Date(range.createdFrom))
  // `created_to` itself is excluded.
  const to = range.createdTo === undefined ? asOf : new Date(Date.parse(range.createdTo) - 1)
  return `${from}-${dayOf(to)}`
}
