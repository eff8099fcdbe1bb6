/**
 * The statement of a month as a PDF: A4, in both languages at once, each line with a link to its cause. It has the same content as the
 * statement, to the shilling, and reads its lines page by page.
 */
import { shillings } from '../../domain/currency.ts'
import PDFDocument from 'pdfkit'
import type { z } from 'zod'
import { toWire } from '../../platform/ids.ts'
import { transactionToJson, type Transaction } from './list-transactions.ts'
import { fontFile, printedText } from './printed-text.ts'
import type { statementSchema } from './statement.ts'

export type StatementPaper = {
  statement: z.infer<typeof statementSchema>
  merchantName: string
  /** The addresses of a payment and of a payout of this owner; an id is appended. */
  addressOf: { payment: string; payout: string }
  /** Newest first. */
  pages: AsyncIterable<Transaction[]>
}

const margin = 40
const lineHeight = 15
/** The height of the codes and numbers below a line. */
const detailHeight = 9
const ink = { text: '#111111', faint: '#555555', rule: '#bbbbbb', link: '#0b4f8a', warn: '#8a3b00' }

/** Left edges and widths of the columns, in points; numbers are aligned to the right edge of their column. */
const columns = {
  time: { x: 40, width: 78 },
  what: { x: 120, width: 82 },
  cause: { x: 204, width: 148 },
  who: { x: 354, width: 74 },
  amount: { x: 428, width: 60 },
  balance: { x: 490, width: 65 },
} as const

const typeNames: Record<Transaction['type'], string> = {
  payment: 'Malipo · Payment',
  payout: 'Utoaji · Payout',
  payout_reversal: 'Marejesho · Returned',
  refund: 'Marejesho kwa mlipaji · Refund',
  refund_reversal: 'Marejesho yamerudi · Refund back',
  adjustment: 'Marekebisho · Adjustment',
  fee: 'Makato · Fee',
}

const tzs = (amount: number): string => amount.toLocaleString('en')

const time = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'Africa/Dar_es_Salaam',
  day: '2-digit',
  month: '2-digit',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})

type Paper = InstanceType<typeof PDFDocument>

const plainFont = 'Helvetica'

/** A text that needs our own font is printed in it, and the plain font is set again. */
function write(
  paper: Paper,
  text: string,
  { x, width }: { x: number; width: number },
  y: number,
  options: PDFKit.Mixins.TextOptions = {},
): void {
  const { printed, isWide } = printedText(text)
  if (isWide) paper.font('wide')
  paper.text(printed, x, y, { width, height: lineHeight, lineBreak: false, ellipsis: true, ...options })
  if (isWide) paper.font(plainFont)
}

function writeHead(paper: Paper, y: number): number {
  paper.font('Helvetica-Bold').fontSize(7.5).fillColor(ink.text)
  write(paper, 'Muda · Time (EAT)', columns.time, y)
  write(paper, 'Aina · Kind', columns.what, y)
  write(paper, 'Kumbukumbu · Reference', columns.cause, y)
  write(paper, 'Nani · Who', columns.who, y)
  write(paper, 'TSh', columns.amount, y, { align: 'right' })
  write(paper, 'Salio · Balance', columns.balance, y, { align: 'right' })
  paper
    .moveTo(margin, y + 12)
    .lineTo(paper.page.width - margin, y + 12)
    .strokeColor(ink.rule)
    .lineWidth(0.5)
    .stroke()
  return y + lineHeight + 2
}

/** What a person may have of its payment or payout: the short code, the network's receipt and the merchant's own number. */
function detailOf(transaction: Transaction): string {
  const { short_code, network_receipt, merchant_reference } = transactionToJson(transaction)
  return [short_code, network_receipt, merchant_reference].filter((one) => one !== null).join(' · ')
}

const heightOf = (detail: string): number => lineHeight + (detail === '' ? 0 : detailHeight)

function writeLine(
  paper: Paper,
  transaction: Transaction,
  detail: string,
  addressOf: StatementPaper['addressOf'],
  y: number,
): void {
  const { created_at, type, direction, amount, balance_after, customer, recipient_name, description } =
    transactionToJson(transaction)
  const { payoutId } = transaction.line
  // A refund is shown at its payment.
  const paymentId = transaction.line.paymentId ?? transaction.payout?.refundOf ?? null
  const cause =
    paymentId !== null
      ? { id: toWire('pay', paymentId), link: addressOf.payment }
      : payoutId !== null
        ? { id: toWire('po', payoutId), link: addressOf.payout }
        : undefined
  paper.font(plainFont).fontSize(7.5).fillColor(ink.text)
  write(paper, time.format(new Date(created_at)).replace(',', ''), columns.time, y)
  write(paper, typeNames[type], columns.what, y)
  if (cause) {
    paper.fillColor(ink.link)
    write(paper, cause.id, columns.cause, y, { link: `${cause.link}${cause.id}` })
    paper.fillColor(ink.text)
  }
  write(paper, customer?.name ?? recipient_name ?? description ?? '', columns.who, y)
  write(paper, `${direction === 'credit' ? '+' : '-'}${tzs(amount)}`, columns.amount, y, { align: 'right' })
  write(paper, tzs(balance_after), columns.balance, y, { align: 'right' })
  if (detail === '') return
  paper.fontSize(6.5).fillColor(ink.faint)
  write(
    paper,
    detail,
    { x: columns.cause.x, width: columns.balance.x + columns.balance.width - columns.cause.x },
    y + detailHeight,
  )
}

function writeSums(paper: Paper, { statement, merchantName }: StatementPaper): number {
  const whole = { x: margin, width: paper.page.width - 2 * margin }
  paper.font('Helvetica-Bold').fontSize(16).fillColor(ink.text)
  write(paper, 'Taarifa ya mwezi · Monthly statement', whole, margin, { height: 22 })
  paper.font(plainFont).fontSize(10).fillColor(ink.faint)
  write(paper, `Malipo · ${merchantName} · ${statement.month}`, whole, margin + 24)
  let y = margin + 42
  if (statement.environment === 'test') {
    paper.font('Helvetica-Bold').fillColor(ink.warn)
    write(paper, 'JARIBIO: hizi si fedha halisi · TEST: this is no real money', whole, y)
    y += 18
  }
  if (!statement.is_final) {
    paper.font('Helvetica-Bold').fillColor(ink.warn)
    const asOf = time.format(new Date(statement.as_of))
    write(paper, `Mwezi haujaisha; hadi ${asOf} · The month is not over; as of ${asOf}`, whole, y)
    y += 18
  }
  const sums: [string, number][] = [
    ['Salio la kuanzia · Opening balance', statement.opening_balance],
    ['Zilizoingia · Credits', statement.total_credits],
    ['Zilizotoka · Debits', 0 - statement.total_debits],
    ['Salio la kufunga · Closing balance', statement.closing_balance],
  ]
  y += 6
  for (const [label, amount] of sums) {
    paper.font(plainFont).fontSize(10).fillColor(ink.text)
    write(paper, label, { x: margin, width: 300 }, y)
    paper.font('Helvetica-Bold')
    write(paper, shillings(amount), { x: 340, width: paper.page.width - margin - 340 }, y, { align: 'right' })
    y += 16
  }
  for (const { type, direction, count, amount } of statement.totals) {
    paper.font(plainFont).fontSize(8).fillColor(ink.faint)
    write(paper, `${typeNames[type]} (${count})`, { x: margin + 12, width: 300 }, y)
    write(paper, `${direction === 'credit' ? '+' : '-'}${tzs(amount)}`, { x: 340, width: paper.page.width - margin - 340 }, y, {
      align: 'right',
    })
    y += 12
  }
  return y + 12
}

function numberPage(paper: Paper, page: number): void {
  paper.font(plainFont).fontSize(7.5).fillColor(ink.faint)
  write(paper, `Ukurasa · Page ${page}`, { x: margin, width: paper.page.width - 2 * margin }, paper.page.height - margin + 8, {
    align: 'right',
  })
}

/** The PDF as a stream; an error while its lines are read destroys the stream. */
export function drawStatement(wanted: StatementPaper): NodeJS.ReadableStream & { destroy(error?: Error): unknown } {
  const { statement, pages } = wanted
  const paper = new PDFDocument({
    size: 'A4',
    // Every line has an explicit position: the PDF library never starts a page by itself.
    margins: { top: margin, left: margin, right: margin, bottom: 0 },
    info: {
      Title: `Malipo ${statement.month}`,
      Author: 'Malipo',
      CreationDate: new Date(statement.as_of),
    },
  })
  paper.registerFont('wide', fontFile)
  const draw = async (): Promise<void> => {
    let page = 1
    numberPage(paper, page)
    let y = writeHead(paper, writeSums(paper, wanted))
    for await (const transactions of pages) {
      for (const transaction of transactions) {
        const detail = detailOf(transaction)
        if (y > paper.page.height - margin - heightOf(detail)) {
          paper.addPage()
          page += 1
          numberPage(paper, page)
          y = writeHead(paper, margin)
        }
        writeLine(paper, transaction, detail, wanted.addressOf, y)
        y += heightOf(detail)
      }
    }
    paper.end()
  }
  draw().catch((error: unknown) => paper.destroy(error as Error))
  return paper
}
