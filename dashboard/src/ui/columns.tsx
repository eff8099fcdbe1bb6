/** The columns that many tables have: amounts, moments, states. The second argument says which value of a row is shown. */
import type { ReactNode } from 'react'
import type { Column } from './data-table.tsx'
import { Moment, type MomentLook } from './moment.tsx'
import { Money } from './money.tsx'
import { StatusBadge, type Status } from './status-badge.tsx'

/** What a row is: its link, with a small text beside it, and the heading on a phone. */
export function headingColumn<Row>(title: string, cell: (row: Row) => ReactNode, note?: (row: Row) => ReactNode): Column<Row> {
  return { title, cell, onCard: 'heading', ...(note && { note }) }
}

/** Opposite of the heading on a card. */
export function oppositeColumn<Row>(title: string, cell: (row: Row) => ReactNode): Column<Row> {
  return { title, cell, onCard: 'opposite' }
}

/** A number, or what can be pressed: at the right of a table, on a card opposite of the heading. */
export function oppositeFigureColumn<Row>(title: string, cell: (row: Row) => ReactNode): Column<Row> {
  return { title, cell, isFigure: true, onCard: 'opposite' }
}

/** TZS, as one figure among others. */
export function moneyColumn<Row>(title: string, amountOf: (row: Row) => number): Column<Row> {
  return { title, cell: (row) => <Money amount={amountOf(row)} />, isFigure: true }
}

/** TZS, the figure that matters most: on a card opposite of the heading. */
export function amountColumn<Row>(title: string, amountOf: (row: Row) => number): Column<Row> {
  return { ...moneyColumn(title, amountOf), onCard: 'opposite' }
}

/** A number that stands at the right. */
export function figureColumn<Row>(title: string, cell: (row: Row) => ReactNode): Column<Row> {
  return { title, cell, isFigure: true }
}

/** `ago`: how long it has been. `named`: one of several moments, which has its title on a phone. A moment that has not come is shown as `never`. */
export function momentColumn<Row>(
  title: string,
  momentOf: (row: Row) => string | null,
  { never = '–', named = never !== '–', ...look }: MomentLook & { never?: string; named?: boolean } = {},
): Column<Row> {
  const cell = (row: Row): ReactNode => {
    const at = momentOf(row)
    return at === null ? never : <Moment at={at} {...look} />
  }
  return { title, cell, ...(!named && { onCard: 'plain' }) }
}

/** A word that says what it is, also without the title. */
export function plainColumn<Row>(title: string, cell: (row: Row) => ReactNode): Column<Row> {
  return { title, cell, onCard: 'plain' }
}

export function statusColumn<Row>(title: string, statusOf: (row: Row) => Status): Column<Row> {
  return asideColumn(title, (row) => <StatusBadge status={statusOf(row)} isOfPayment />)
}

/** A state, at the end of the second line of a phone. */
export function asideColumn<Row>(title: string, cell: (row: Row) => ReactNode): Column<Row> {
  return { title, cell, onCard: 'aside' }
}
