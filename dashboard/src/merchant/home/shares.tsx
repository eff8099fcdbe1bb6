/** The volume of the period by page and by network. Each line of which a list can be shown leads to its payments. */
import { TextLink } from '../links.tsx'
import { Table, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { MerchantSummary } from '../../api/operations.ts'
import { Note } from '../../ui/note.tsx'
import { count as countText, percent } from '../../ui/format.ts'
import { Money } from '../../ui/money.tsx'
import { Section } from '../../ui/screen.tsx'
import classes from './home.module.css'
import { periodTexts } from './period-texts.ts'

type Line = { key: string; name: ReactNode; volume: number; count: number }

export function Shares({ summary }: { summary: MerchantSummary }) {
  const say = periodTexts.use()
  const { period, by_page: pages, by_network: networks } = summary
  const search = { status: 'completed', from: period.from, to: period.to } as const
  return (
    <div className={classes['shares']}>
      <Section title={say('byPage')}>
        <Lines
          label={say('byPage')}
          heading={say('page')}
          total={period.volume}
          lines={pages.map(({ kind, payment_page: page, volume, count }) => ({
            key: page?.id ?? kind,
            name: page ? (
              <TextLink to="./payments" search={{ ...search, page: page.id }}>
                {page.title}
              </TextLink>
            ) : (
              kind !== 'page' && say(kind)
            ),
            volume,
            count,
          }))}
        />
      </Section>
      <Section title={say('byNetwork')}>
        <Lines
          label={say('byNetwork')}
          heading={say('network')}
          total={period.volume}
          lines={networks.map(({ network, volume, count }) => ({
            key: network ?? 'unknown',
            name: network ? (
              <TextLink to="./payments" search={{ ...search, network }}>
                {say(`network.${network}`)}
              </TextLink>
            ) : (
              say('unknown')
            ),
            volume,
            count,
          }))}
        />
      </Section>
    </div>
  )
}

function Lines({ label, heading, total, lines }: { label: string; heading: string; total: number; lines: readonly Line[] }) {
  const say = periodTexts.use()
  if (lines.length === 0) return <Text c="dimmed">{say('nothing')}</Text>
  return (
    <Table aria-label={label} verticalSpacing="xs" horizontalSpacing={0} className={classes['lines']!}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">{heading}</Table.Th>
          <Table.Th scope="col" ta="end">
            {say('received')}
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {lines.map(({ key, name, volume, count }) => (
          <Table.Tr key={key}>
            <Table.Td className={classes['name']}>
              {name}
              <Note className="figures">{`${say('payments')}: ${countText(count)}`}</Note>
            </Table.Td>
            <Table.Td ta="end">
              <Money amount={volume} />
              <Note className="figures">{percent(volume / total)}</Note>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
