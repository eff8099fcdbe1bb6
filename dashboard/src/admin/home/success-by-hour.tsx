/** How many payments of each network succeeded in each hour of the last day: as a chart, and as a table on request. */
import { Group, SegmentedControl, SimpleGrid, Table, Text } from '@mantine/core'
import { useState } from 'react'
import type { NetworkSuccess } from '../../api/operations.ts'
import { useAnswer } from '../../api/queries.ts'
import { useLanguage } from '../../i18n/define-texts.ts'
import { clockText, count, percent } from '../../ui/format.ts'
import { Note } from '../../ui/note.tsx'
import { Section } from '../../ui/screen.tsx'
import { EnvironmentBadge } from '../environment-badge.tsx'
import { ScrollBox } from '../scroll-box.tsx'
import classes from './charts.module.css'
import { homeTexts } from './texts.ts'

type Hour = NetworkSuccess['hours'][number]

const sizeOf = ({ completed, failed }: Hour): number => completed + failed
const keyOf = ({ environment, network }: NetworkSuccess): string => `${environment} ${network}`

export function SuccessByHour() {
  const say = homeTexts.use()
  const [form, setForm] = useState<'chart' | 'table'>('chart')
  const { data } = useAnswer('GET /v1/admin/networks/success', {}, { isLive: 'slowly' })
  const networks = data?.data ?? []
  // Before the first payment there is nothing to draw, and the table of networks says so.
  if (networks.length === 0) return null
  return (
    <Section
      title={say('byHour')}
      actions={
        <SegmentedControl
          size="xs"
          aria-label={say('byHour')}
          value={form}
          onChange={(value) => setForm(value === 'table' ? 'table' : 'chart')}
          data={(['chart', 'table'] as const).map((value) => ({ value, label: say(`shownAs.${value}`) }))}
        />
      }
    >
      {form === 'table' ? (
        <Figures networks={networks} />
      ) : (
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
          {networks.map((one) => (
            <Chart key={keyOf(one)} of={one} />
          ))}
        </SimpleGrid>
      )}
    </Section>
  )
}

/** `93% of 214`; hours without an ended payment have no share. */
function useShare(): (hours: readonly Hour[]) => string {
  const say = homeTexts.use()
  const language = useLanguage()
  return (hours) => {
    const [completed, size] = [
      hours.reduce((sum, one) => sum + one.completed, 0),
      hours.reduce((sum, one) => sum + sizeOf(one), 0),
    ]
    return size === 0
      ? say('noneBegun')
      : say('ofBegun', { rate: percent(completed / size, language), count: count(size, language) })
  }
}

const [width, height] = [10, 60]

function Chart({ of }: { of: NetworkSuccess }) {
  const say = homeTexts.use()
  const language = useLanguage()
  const shareOf = useShare()
  const { environment, network, hours } = of
  const name = say(`network.${network}`)
  const timeOf = ({ begins }: Hour) => clockText(Date.parse(begins), language)
  const worst = hours
    .filter((hour) => sizeOf(hour) > 0)
    .toSorted((one, other) => one.completed / sizeOf(one) - other.completed / sizeOf(other))[0]
  const lowest = worst && worst.failed > 0 && say('lowest', { share: shareOf([worst]), time: timeOf(worst) })
  return (
    <figure className={classes['figure']}>
      <Group component="figcaption" gap="xs" justify="space-between">
        <Group gap="xs">
          <Text fw={600}>{name}</Text>
          <EnvironmentBadge environment={environment} />
        </Group>
        <Text size="sm" className="figures">
          {shareOf(hours)}
        </Text>
      </Group>
      <svg
        viewBox={`0 0 ${hours.length * width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={[`${name}, ${say(`environment.${environment}`)}: ${shareOf(hours)}`, lowest].filter(Boolean).join('. ')}
        className={classes['hours']}
      >
        {hours.map((hour, place) => {
          const size = sizeOf(hour)
          const success = size === 0 ? 0 : (hour.completed / size) * height
          return (
            <g key={hour.begins}>
              <title>{`${timeOf(hour)}: ${shareOf([hour])}`}</title>
              <rect x={place * width} y={0} width={width} height={height} className={classes['reach']} />
              {size === 0 ? (
                <rect x={place * width + 1.5} y={height - 1.5} width={width - 3} height={1.5} className={classes['empty']} />
              ) : (
                <>
                  <rect x={place * width + 1.5} y={0} width={width - 3} height={height - success} className={classes['failed']} />
                  <rect
                    x={place * width + 1.5}
                    y={height - success}
                    width={width - 3}
                    height={success}
                    className={classes['done']}
                  />
                </>
              )}
            </g>
          )
        })}
      </svg>
      <Group justify="space-between" aria-hidden>
        <Note size="xs">{hours[0] && timeOf(hours[0])}</Note>
        <Note size="xs">{hours[hours.length / 2] && timeOf(hours[hours.length / 2]!)}</Note>
        <Note size="xs">{say('thisHour')}</Note>
      </Group>
      {lowest && <Note>{lowest}</Note>}
    </figure>
  )
}

function Figures({ networks }: { networks: readonly NetworkSuccess[] }) {
  const say = homeTexts.use()
  const language = useLanguage()
  const shareOf = useShare()
  const places = networks[0]!.hours.map((hour, place) => ({ place, begins: hour.begins })).toReversed()
  return (
    <ScrollBox label={say('byHour')}>
      <Table aria-label={say('byHour')}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{say('hour')}</Table.Th>
            {networks.map((one) => (
              <Table.Th key={keyOf(one)} scope="col" ta="end">
                {say(`network.${one.network}`)} · {say(`environment.${one.environment}`)}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {places.map(({ place, begins }) => (
            <Table.Tr key={begins}>
              <Table.Th scope="row">{clockText(Date.parse(begins), language)}</Table.Th>
              {networks.map((one) => (
                <Table.Td key={keyOf(one)} ta="end" className="figures">
                  {shareOf(one.hours.slice(place, place + 1))}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollBox>
  )
}
