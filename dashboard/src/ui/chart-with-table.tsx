/** A chart of figures by day, and the figures as a table on request. */
import { Group, SegmentedControl, Stack, Table, Text, VisuallyHidden } from '@mantine/core'
import { IconChartBar, IconTable } from './icons.ts'
import { useId, useState, type ReactNode } from 'react'
import { useLanguage } from '../i18n/define-texts.ts'
import classes from './chart-with-table.module.css'
import { calendarDayText, shortNumber } from './format.ts'
import { shared } from './texts.ts'

/** `date` is a calendar day of Dar es Salaam, `2026-09-30`. */
export type DayFigure = { date: string; value: number; note?: string }

type Props = {
  /** The meaning of the figures: the chart's name, and the heading of the table's second column. */
  label: string
  days: readonly DayFigure[]
  valueText(value: number): string
}

const height = 200
/** All even: half of the top is on the axis, too, and is a whole number of payments or shillings. */
const steps = [2, 4, 6, 8, 10]

/** The least round number that is not below the highest value, so that the axis ends with a readable number; 0 if there is nothing. */
export function roundTop(highest: number): number {
  if (highest <= 0) return 0
  const power = 10 ** Math.floor(Math.log10(highest))
  return power * steps.find((step) => step * power >= highest)!
}

/** The numbers beside a chart. */
export function Axis({ top }: { top: number }) {
  const language = useLanguage()
  return (
    <div className={classes['axis']} aria-hidden>
      {(top === 0 ? ['', '', 0] : [top, top / 2, 0]).map((value, place) => (
        // oxlint-disable-next-line react/no-array-index-key -- three fixed places
        <span key={place}>{typeof value === 'number' && shortNumber(value, language)}</span>
      ))}
    </div>
  )
}

function Bars({ label, days, valueText }: Props) {
  const language = useLanguage()
  const id = useId()
  const top = roundTop(Math.max(...days.map(({ value }) => value), 0))
  const [pointedAt, setPointedAt] = useState<number>()
  const shown = pointedAt === undefined ? undefined : days[pointedAt]
  const [first, middle, last] = [days[0], days[Math.floor(days.length / 2)], days.at(-1)]
  const describe = (day: DayFigure | undefined) => (day ? `${calendarDayText(day.date, language)}: ${valueText(day.value)}` : '')
  const move = (by: number) => setPointedAt((now) => Math.min(days.length - 1, Math.max(0, (now ?? days.length) + by)))
  return (
    <figure className={classes['figure']}>
      <Text size="sm" mih={22} aria-live="polite" id={id}>
        {shown ? (
          <>
            <b>{calendarDayText(shown.date, language)}</b> · <span className="figures">{valueText(shown.value)}</span>
            {shown.note !== undefined && ` · ${shown.note}`}
          </>
        ) : (
          <VisuallyHidden>{label}</VisuallyHidden>
        )}
      </Text>
      <div className={classes['plot']}>
        <Axis top={top} />
        <svg
          viewBox={`0 0 ${days.length * 10} ${height}`}
          preserveAspectRatio="none"
          role="slider"
          aria-label={label}
          aria-describedby={id}
          aria-valuemin={1}
          aria-valuemax={days.length}
          aria-valuenow={(pointedAt ?? days.length - 1) + 1}
          aria-valuetext={describe(shown ?? last)}
          tabIndex={0}
          className={classes['bars']}
          onPointerLeave={() => setPointedAt(undefined)}
          onBlur={() => setPointedAt(undefined)}
          onKeyDown={(event) => {
            if (event.key === 'ArrowLeft') move(-1)
            else if (event.key === 'ArrowRight') move(1)
            else return
            event.preventDefault()
          }}
        >
          {[0, 0.5, 1].map((part) => (
            <line key={part} x1={0} x2={days.length * 10} y1={height * part} y2={height * part} className={classes['grid']} />
          ))}
          {days.map(({ date, value }, index) => {
            const size = value > 0 ? Math.max((value / top) * height, 2) : 0
            return (
              <g key={date} onPointerEnter={() => setPointedAt(index)} data-pointed={index === pointedAt || undefined}>
                <rect x={index * 10} y={0} width={10} height={height} className={classes['reach']} />
                <rect x={index * 10 + 1.5} y={height - size} width={7} height={size} className={classes['bar']} />
              </g>
            )
          })}
        </svg>
      </div>
      <div className={classes['days']} aria-hidden>
        {[first, middle, last].map((day, place) => (
          // oxlint-disable-next-line react/no-array-index-key -- three fixed places, and two may be the same day
          <span key={place}>{day && calendarDayText(day.date, language)}</span>
        ))}
      </div>
    </figure>
  )
}

function Figures({ label, days, valueText }: Props) {
  const say = shared.use()
  return (
    <div className={classes['figures']}>
      <Table aria-label={label} stickyHeader>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{say('day')}</Table.Th>
            <Table.Th scope="col" ta="end">
              {label}
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {days.toReversed().map(({ date, value, note }) => (
            <Table.Tr key={date}>
              <Table.Td>{calendarDayText(date)}</Table.Td>
              <Table.Td ta="end" className="figures">
                {valueText(value)}
                {note !== undefined && <Text span c="dimmed">{` · ${note}`}</Text>}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}

export function ChartWithTable(props: Props) {
  return <ChartOrTable label={props.label} chart={<Bars {...props} />} table={<Figures {...props} />} />
}

/** A picture, and on request its numbers. */
export function ChartOrTable({ label, chart, table }: { label: string; chart: ReactNode; table: ReactNode }) {
  const say = shared.use()
  const [form, setForm] = useState('chart')
  return (
    <Stack gap="xs">
      <Group justify="space-between" wrap="nowrap">
        <Text fw={550}>{label}</Text>
        <SegmentedControl
          size="xs"
          value={form}
          onChange={setForm}
          aria-label={label}
          data={[
            { value: 'chart', label: <Choice sign={<IconChartBar size={16} aria-hidden />} text={say('asChart')} /> },
            { value: 'table', label: <Choice sign={<IconTable size={16} aria-hidden />} text={say('asTable')} /> },
          ]}
        />
      </Group>
      {form === 'chart' ? chart : table}
    </Stack>
  )
}

function Choice({ sign, text }: { sign: ReactNode; text: string }) {
  return (
    <span className={classes['choice']}>
      {sign}
      <VisuallyHidden>{text}</VisuallyHidden>
    </span>
  )
}
