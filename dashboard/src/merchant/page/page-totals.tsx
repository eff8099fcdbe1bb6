/** The totals of a payment page, and its remaining payments. */
import { Paper, SimpleGrid, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { PaymentPage } from '../../api/operations.ts'
import { Note } from '../../ui/note.tsx'
import { count } from '../../ui/format.ts'
import { Moment } from '../../ui/moment.tsx'
import { Money } from '../../ui/money.tsx'
import { pageTexts } from './texts.ts'

function Figure({ name, note, children }: { name: string; note?: ReactNode; children: ReactNode }) {
  return (
    <Paper p="md">
      <Note>{name}</Note>
      <Text fz={22} fw={650} lh={1.4} className="figures">
        {children}
      </Text>
      {note !== undefined && <Note size="xs">{note}</Note>}
    </Paper>
  )
}

export function PageTotals({ page }: { page: PaymentPage }) {
  const say = pageTexts.use()
  const { amount, allow_custom_amount: isCustom, max_payments: most, expires_at: end } = page
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }}>
      {page.paid_total !== null && (
        <Figure name={say('total')}>
          <Money amount={page.paid_total} />
        </Figure>
      )}
      <Figure name={say('count')} {...(most !== null && { note: say('ofMost', { most: count(most) }) })}>
        {count(page.paid_count)}
      </Figure>
      <Figure
        name={say('asks')}
        {...(end !== null && {
          note: (
            <>
              {say('until')} <Moment at={end} />
            </>
          ),
        })}
      >
        {isCustom || amount === null ? say('payerChooses') : <Money amount={amount} />}
      </Figure>
    </SimpleGrid>
  )
}
