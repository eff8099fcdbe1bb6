/**
 * Reads the rows of a CSV file while it arrives. Invariant: a file that cannot be read with certainty is refused as a whole with a named
 * error, and at most one line of it is held in memory.
 */
import { pipeline } from 'node:stream/promises'
import type { Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { numberTyped } from '../../domain/typed.ts'
import { readPlainText } from '../../platform/http/csv.ts'
import { Refusal, type RefusalDetail } from '../../platform/refusal.ts'
import { payoutColumns } from '../payouts/list-payouts.ts'
import { resultColumns } from './batch.ts'
import { fromWire } from '../../platform/ids.ts'
import { sheetNames, statusOfWord } from '../../domain/sheet.ts'
import type { Told } from './left-out.ts'
import { isFormula, requiredColumns, rowColumns, type RowColumn, type TypedRow } from './batch-row.ts'

export const batchBytes = 8 * 1024 * 1024
export const batchRows = 10_000

/** What programs for spreadsheets and browsers call a file of rows. What it really is, its first bytes say. */
export const fileTypes = [
  'text/csv',
  'application/csv',
  'text/tab-separated-values',
  'application/vnd.ms-excel',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
]

const lineCharacters = 16_384
const headCharacters = 16_384
/** Lines in which the names of the columns are looked for: a title, a date and the like may stand above them. */
const headLines = 20

/** A row of a file. `hasMore`: it has a cell in a column without a name. `told`: it is of our own file. */
export class FileRow {
  readonly line: number
  readonly typed: TypedRow
  readonly hasMore: boolean
  readonly told: Told | undefined

  constructor(line: number, typed: TypedRow, hasMore: boolean, told: Told | undefined) {
    this.line = line
    this.typed = typed
    this.hasMore = hasMore
    this.told = told
  }
}

/** The names of each column in a header, as `nameOf` writes them, and of those that say nothing about a payout. */
const columnWords: Record<RowColumn | 'ignored', readonly string[]> = {
  amount: ['amount', 'kiasi'],
  phone_number:
    'phone_number phone phone_no mobile mobile_number mobile_no msisdn recipient_phone simu namba namba_ya_simu nambari_ya_simu simu_ya_mpokeaji'.split(
      ' ',
    ),
  recipient_name: 'recipient_name recipient name full_name name_of_recipient jina jina_kamili jina_la_mpokeaji mpokeaji'.split(
    ' ',
  ),
  narration: ['narration', 'maelezo'],
  reference: ['reference', 'merchant_reference', 'ref', 'kumbukumbu'],
  // Numbers of the lines, and what our own files have besides.
  ignored: ['#', 'no', 's_n', 'sn', 'na', ...[...resultColumns, ...payoutColumns].filter((name) => !isRowColumn(name))],
}
function isRowColumn(name: string): boolean {
  return (rowColumns as readonly string[]).includes(name)
}
const columnOf = new Map(
  [...rowColumns, 'ignored' as const].flatMap((column) => columnWords[column].map((name) => [name, column] as const)),
)

/** A name in a header as it is compared: `Phone No.` and `phone_no` are one, and `Amount (TZS)` is an amount. */
const foldName = (cell: string): string =>
  numberTyped(cell)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}#]+/gu, '_')
    .replace(/^_|_(?:tzs|tshs?)_?$|_$/g, '')

/** In our own files for people, each column has a name in the language of the reader. */
const ourNames = new Map(sheetNames.map(([column, name]) => [foldName(name), column]))
function nameOf(cell: string): string {
  const name = foldName(cell)
  return ourNames.get(name) ?? name
}

const refuse = (code: string, message: string, detail: RefusalDetail = {}): Refusal => new Refusal(400, code, message, detail)

export const tooManyRows = (): Refusal =>
  refuse('batch_too_large', `A batch has at most ${batchRows} rows. Split it into several batches.`)

const tooLarge = (): Refusal => new Refusal(413, 'payload_too_large', 'A batch is at most 8 MiB.')

const wrongEncoding = (): Refusal =>
  refuse('file_encoding_unsupported', 'The file is not text in UTF-8 or UTF-16. Save it as "CSV UTF-8", and send that file.')

const wrongType = (what: string): Refusal =>
  refuse('file_type_unsupported', `This is ${what}, not a CSV file. Save the sheet as "CSV UTF-8", and send that file.`)

/** The first bytes of files that people send instead, from the lists of the formats. */
const otherTypes: readonly (readonly [what: string, bytes: readonly number[]])[] = [
  ['a zip archive or an Excel workbook', [0x50, 0x4b, 0x03, 0x04]],
  ['a zip archive', [0x50, 0x4b, 0x05, 0x06]],
  ['an old Excel workbook', [0xd0, 0xcf, 0x11, 0xe0]],
  ['a gzip archive', [0x1f, 0x8b]],
  ['a PDF', [0x25, 0x50, 0x44, 0x46]],
  ['a web page', [0x3c]],
]

function refuseOtherTypes(head: Buffer): void {
  for (const [what, bytes] of otherTypes) {
    if (head.subarray(0, bytes.length).equals(Buffer.from(bytes))) throw wrongType(what)
  }
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

/** The encoding that the mark at the start names; the decoder drops the mark. */
function decoderOf(head: Buffer) {
  const mark = head.toString('latin1', 0, 2)
  const encoding = mark === '\xff\xfe' ? 'utf-16le' : mark === '\xfe\xff' ? 'utf-16be' : 'utf-8'
  return new TextDecoder(encoding, { fatal: true })
}

/** The text of a file. Refuses bytes of another kind, and bytes that are not text in its encoding. */
async function* textOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let held: Buffer = Buffer.alloc(0)
  let decoder: ReturnType<typeof decoderOf> | undefined
  const decode = (bytes?: Buffer): string => {
    try {
      const text = decoder!.decode(bytes, { stream: bytes !== undefined })
      if (!text.includes('\0')) return text
    } catch {
      // Refused below.
    }
    throw wrongEncoding()
  }
  for await (const chunk of chunks) {
    if (decoder) {
      yield decode(chunk)
      continue
    }
    held = Buffer.concat([held, chunk])
    // What the file is, its first four bytes say.
    if (held.length < 4) continue
    refuseOtherTypes(held)
    decoder = decoderOf(held)
    yield decode(held)
  }
  if (!decoder) {
    decoder = decoderOf(held)
    yield decode(held)
  }
  yield decode()
}

/** The start of the text, as long as the names of the columns can be in it. */
async function readHead(text: AsyncIterator<string>): Promise<string> {
  let head = ''
  while (head.length < headCharacters) {
    const next = await text.next()
    if (next.done) break
    head += next.value
  }
  return head
}

const delimiters = [',', ';', '\t', '|']

/** The delimiter with which one of the first lines names most columns; if none names any, the one that is used most. */
function delimiterOf(head: string): string {
  const lines = head
    .split(/\r\n|\r|\n/, headLines)
    .map((line) => line.slice(0, 1_000).replaceAll(/"([^"]*)"/g, (_, cell) => nameOf(cell)))
  const scores = delimiters.map((delimiter) => {
    const counts = lines.map((line) => line.split(delimiter)).map((cells) => known(cells) * 1_000 + cells.length)
    return Math.max(...counts)
  })
  return delimiters[scores.indexOf(Math.max(...scores))]!
}

/** How many cells name a column of a row. */
const known = (cells: readonly string[]): number => cells.filter((cell) => isRowColumn(columnOf.get(nameOf(cell)) ?? '')).length

/** A column of a file; undefined: it has no name. */
type FileColumn = RowColumn | 'ignored' | undefined

/** Whether a line names every column that is needed. */
const isHeader = (cells: readonly string[]): boolean => {
  const found = cells.map((cell) => columnOf.get(nameOf(cell)))
  return requiredColumns.every((column) => found.includes(column))
}

/** The columns of a header in their order; refuses with 400 a header that misses one, or has one twice or one of another name. */
function readHeader(cells: readonly string[]): FileColumn[] {
  const names = cells.map((cell) => cell.trim())
  const found = names.map((name) => columnOf.get(nameOf(name)))
  const unknown = names.filter((name, place) => name !== '' && found[place] === undefined).map((name) => name.slice(0, 60))
  const missing = requiredColumns.filter((column) => !found.includes(column))
  const twice = rowColumns.filter((column) => found.indexOf(column) !== found.lastIndexOf(column))
  if (missing.length + twice.length + unknown.length === 0) return found
  const problems = [
    missing.length > 0 && `missing: ${missing.join(', ')}`,
    twice.length > 0 && `twice: ${twice.join(', ')}`,
    unknown.length > 0 && `unknown: ${unknown.map((name) => JSON.stringify(name)).join(', ')}`,
  ].filter((problem) => problem !== false)
  const message = `One of the first ${headLines} lines must name the columns ${rowColumns.join(', ')}, of which narration and reference may be left out (${problems.join('; ')}).`
  throw refuse('csv_header_invalid', message, { details: { missing, twice, unknown } })
}

/** The refusal of a file that breaks off the rules of CSV. */
function refusalOf(error: CsvError): Refusal {
  const line = Number(error['lines'] ?? 0) || undefined
  const where = line === undefined ? '' : ` near line ${line}`
  return error.code === 'CSV_MAX_RECORD_SIZE'
    ? refuse('csv_line_too_long', `A line${where} is longer than ${lineCharacters} characters.`, { details: { line } })
    : refuse('csv_invalid', `The file${where} is not valid CSV: a quote is not closed, or stands inside a cell.`, {
        details: { line },
      })
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

/** Longer cells are errors of their rows, as they are. */
const plainCharacters = 500

/** Our own files hide what could be a formula behind an apostrophe; a text that no row could have keeps the one that a person wrote. */
function readText(cell: string): string {
  const plain = readPlainText(cell)
  return isFormula(plain) ? cell : plain
}

/** The cells of a line under its header, without the apostrophe that keeps a spreadsheet from calculating them. */
function rowOf(header: readonly FileColumn[], cells: readonly string[], line: number, told: Told | undefined): FileRow {
  const typed: TypedRow = {}
  for (const [place, column] of header.entries()) {
    if (column === undefined || column === 'ignored') continue
    const cell = cells[place] ?? ''
    const isText = column !== 'amount' && column !== 'phone_number'
    typed[column] = cell.length > plainCharacters ? cell : isText ? readText(cell) : cell.replace(/^'/, '')
  }
  return new FileRow(
    line,
    typed,
    cells.some((cell, place) => header[place] === undefined && cell !== ''),
    told,
  )
}

/** What a line of our own files says about its payout. `isRemoved`: a person removed the row from its batch. */
function tellingOf(header: readonly string[]) {
  const names = header.map(nameOf)
  const [ofBatch, own, status] = ['payout_id', 'id', 'status'].map((name) => names.indexOf(name)) as [number, number, number]
  const statusIn = (cells: readonly string[]) => statusOfWord(cells[status] ?? '')
  return {
    isRemoved: (cells: readonly string[]): boolean => ofBatch >= 0 && statusIn(cells) === 'removed',
    toldBy(cells: readonly string[]): Told | undefined {
      const payoutId = fromWire('po', cells[ofBatch] ?? '') ?? fromWire('po', cells[own] ?? '')
      return payoutId === undefined ? undefined : { payoutId, status: statusIn(cells) }
    },
  }
}

async function readRows(chunks: AsyncGenerator<Buffer>): Promise<FileRow[]> {
  const text = textOf(chunks)
  const head = await readHead(text)
  const parser = parse({
    delimiter: delimiterOf(head),
    info: true,
    max_record_size: lineCharacters,
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
    trim: true,
  })
  const rows: FileRow[] = []
  const above: string[][] = []
  let header: FileColumn[] | undefined
  let telling = tellingOf([])
  /** Of a file without the right line: what the line that comes closest to it lacks. */
  const refuseHeader = (): void => void readHeader(above.toSorted((one, other) => known(other) - known(one))[0] ?? [])
  try {
    await pipeline(
      async function* () {
        yield head
        yield* text
      },
      parser,
      async (records: AsyncIterable<ParsedRecord>) => {
        for await (const { record, info } of records) {
          if (!header) {
            if (isHeader(record)) {
              header = readHeader(record)
              telling = tellingOf(record)
            } else if (above.push(record) === headLines) refuseHeader()
            continue
          }
          if (rows.length === batchRows) throw tooManyRows()
          if (telling.isRemoved(record)) continue
          rows.push(rowOf(header, record, info.lines - lineBreaks(record), telling.toldBy(record)))
        }
      },
    )
  } catch (error) {
    throw error instanceof CsvError ? refusalOf(error) : error
  }
  if (!header) refuseHeader()
  return rows
}
