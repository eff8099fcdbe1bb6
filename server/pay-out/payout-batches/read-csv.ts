/**
 * Reads the rows of a CSV file while it arrives. Invariant: a file that cannot be read with certainty is refused as a whole with a named
 * error, and at most one line of it is held in memory.
 */
import { pipeline } from 'node:stream/promises'
import type { Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { Refusal } from '../../platform/refusal.ts'
import { requiredColumns, rowColumns, type RowColumn, type TypedRow } from './batch-row.ts'

export const batchBytes = 8 * 1024 * 1024
export const batchRows = 10_000

const lineCharacters = 16_384
const headBytes = 4_096

/** A row of a file. `hasMore`: it has more cells than the header. */
export class FileRow {
  readonly line: number
  readonly typed: TypedRow
  readonly hasMore: boolean

  constructor(line: number, typed: TypedRow, hasMore: boolean) {
    this.line = line
    this.typed = typed
    this.hasMore = hasMore
  }
}

/** Names of a column in a header, in lower case and with underscores for spaces and dashes. */
const columnNames: Record<RowColumn, readonly string[]> = {
  amount: ['amount', 'kiasi'],
  phone_number: ['phone_number', 'phone', 'simu', 'namba', 'namba_ya_simu'],
  recipient_name: ['recipient_name', 'name', 'jina'],
  narration: ['narration', 'maelezo'],
  reference: ['reference', 'kumbukumbu'],
}
const columnOf = new Map(rowColumns.flatMap((column) => columnNames[column].map((name) => [name, column] as const)))

const refuse = (code: string, message: string, details?: Record<string, unknown>): Refusal =>
  new Refusal(400, code, message, { ...(details && { details }) })

export const tooManyRows = (): Refusal =>
  refuse('batch_too_large', `A batch has at most ${batchRows} rows. Split it into several batches.`)

const tooLarge = (): Refusal => new Refusal(413, 'payload_too_large', 'A batch is at most 8 MiB.')

const wrongEncoding = (): Refusal =>
  refuse('file_encoding_unsupported', 'The file is not UTF-8 text. Save it as "CSV UTF-8", and send that file.')

const wrongType = (what: string): Refusal =>
  refuse('file_type_unsupported', `This is ${what}, not a CSV file. Save the sheet as "CSV UTF-8", and send that file.`)

/** The first bytes of files that people send instead, from the lists of the formats. */
const otherTypes: readonly (readonly [what: string, bytes: readonly number[]])[] = [
  ['a zip archive or an Excel workbook', [0x50, 0x4b, 0x03, 0x04]],
  ['a zip archive', [0x50, 0x4b, 0x05, 0x06]],
  ['an old Excel workbook', [0xd0, 0xcf, 0x11, 0xe0]],
  ['a gzip archive', [0x1f, 0x8b]],
  ['a PDF', [0x25, 0x50, 0x44, 0x46]],
]

function refuseOtherTypes(head: Buffer): void {
  for (const [what, bytes] of otherTypes) {
    if (head.subarray(0, bytes.length).equals(Buffer.from(bytes))) throw wrongType(what)
  }
  const isUtf16 = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff)
  if (isUtf16) throw wrongEncoding()
}

/** The chunks of a body, until they are more than a batch may have. */
async function* limited(body: Readable): AsyncGenerator<Buffer> {
  let bytes = 0
  // The request must not be destroyed with this loop: its client could not read the refusal.
  for await (const chunk of body.iterator({ destroyOnReturn: false })) {
    bytes += (chunk as Buffer).length
    if (bytes > batchBytes) throw tooLarge()
    yield chunk as Buffer
  }
}

/** The same bytes, each checked to be part of UTF-8 text. */
async function* checked(head: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const utf8 = new TextDecoder('utf-8', { fatal: true })
  const check = (chunk?: Buffer): void => {
    if (chunk?.includes(0)) throw wrongEncoding()
    try {
      utf8.decode(chunk, { stream: chunk !== undefined })
    } catch {
      throw wrongEncoding()
    }
  }
  check(head)
  yield head
  for await (const chunk of rest) {
    check(chunk)
    yield chunk
  }
  check()
}

/** The first line that is not empty, as far as it has arrived. */
const firstLineOf = (head: Buffer): string => /[^\s][^\r\n]*/.exec(head.toString('utf8').replace(/^\ufeff/, ''))?.[0] ?? ''

/** The bytes up to the end of the first line, or as many as a header can have. */
async function readHead(chunks: AsyncIterator<Buffer>): Promise<Buffer> {
  let head = Buffer.alloc(0)
  for (;;) {
    const next = await chunks.next()
    if (next.done) return head
    head = Buffer.concat([head, next.value])
    if (head.length > headBytes || /\S[^\r\n]*[\r\n]/.test(head.toString('latin1'))) return head
  }
}

const delimiters = [',', ';', '\t']

/** The delimiter that the header uses most. */
function delimiterOf(header: string): string {
  const unquoted = header.replaceAll(/"[^"]*"/g, '')
  const counts = delimiters.map((delimiter) => unquoted.split(delimiter).length)
  return delimiters[counts.indexOf(Math.max(...counts))]!
}

/** The columns of a header in their order; refuses with 400 a header that misses one, or has one twice or one of another name. */
function readHeader(cells: readonly string[]): RowColumn[] {
  const names = cells.map((cell) => cell.trim())
  const found = names.map((name) => columnOf.get(name.toLowerCase().replaceAll(/[\s-]+/g, '_')))
  const unknown = names.filter((_, place) => found[place] === undefined).map((name) => name.slice(0, 60))
  const missing = requiredColumns.filter((column) => !found.includes(column))
  const twice = rowColumns.filter((column) => found.indexOf(column) !== found.lastIndexOf(column))
  if (missing.length + twice.length + unknown.length === 0) return found as RowColumn[]
  const problems = [
    missing.length > 0 && `missing: ${missing.join(', ')}`,
    twice.length > 0 && `twice: ${twice.join(', ')}`,
    unknown.length > 0 && `unknown: ${unknown.map((name) => JSON.stringify(name)).join(', ')}`,
  ].filter((problem) => problem !== false)
  const message = `The first line must name the columns ${rowColumns.join(', ')}, of which narration and reference may be left out (${problems.join('; ')}).`
  throw refuse('csv_header_invalid', message, { missing, twice, unknown })
}

/** The refusal of a file that breaks off the rules of CSV. */
function refusalOf(error: CsvError): Refusal {
  const line = Number(error['lines'] ?? 0) || undefined
  const where = line === undefined ? '' : ` near line ${line}`
  return error.code === 'CSV_MAX_RECORD_SIZE'
    ? refuse('csv_line_too_long', `A line${where} is longer than ${lineCharacters} characters.`, { line })
    : refuse('csv_invalid', `The file${where} is not valid CSV: a quote is not closed, or stands inside a cell.`, { line })
}

type ParsedRecord = { record: string[]; info: { lines: number } }

const lineBreaks = (cells: readonly string[]): number =>
  cells.reduce((count, cell) => count + (cell.match(/\r\n|\r|\n/g)?.length ?? 0), 0)

/**
 * The rows of a file, in its order. Refuses with 413 more than `batchBytes`, with 400 what is not CSV in UTF-8 with the right header, an
 * empty file, and more than `batchRows` rows.
 */
export async function readCsv(body: Readable): Promise<FileRow[]> {
  const chunks = limited(body)
  try {
    return await readRows(chunks)
  } finally {
    // Lets go of the body, so that the rest of a refused one can be dropped.
    await chunks.return(undefined)
  }
}

async function readRows(chunks: AsyncGenerator<Buffer>): Promise<FileRow[]> {
  const head = await readHead(chunks)
  refuseOtherTypes(head)
  const parser = parse({
    bom: true,
    delimiter: delimiterOf(firstLineOf(head)),
    info: true,
    max_record_size: lineCharacters,
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
    trim: true,
  })
  const rows: FileRow[] = []
  let header: RowColumn[] | undefined
  try {
    await pipeline(checked(head, chunks), parser, async (records: AsyncIterable<ParsedRecord>) => {
      for await (const { record, info } of records) {
        if (!header) {
          header = readHeader(record)
          continue
        }
        if (rows.length === batchRows) throw tooManyRows()
        const typed = Object.fromEntries(header.map((column, place) => [column, record[place]])) as TypedRow
        const hasMore = record.slice(header.length).some((cell) => cell !== '')
        rows.push(new FileRow(info.lines - lineBreaks(record), typed, hasMore))
      }
    })
  } catch (error) {
    throw error instanceof CsvError ? refusalOf(error) : error
  }
  if (!header) readHeader([])
  return rows
}
