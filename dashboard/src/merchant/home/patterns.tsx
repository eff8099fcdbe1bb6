/** Pictures for decisions: when customers pay, this week beside the last, and why payments end without money. Each has its numbers. */
import { Table, Text, VisuallyHidden } from '@mantine/core'
import type { MerchantPatterns } from '../../api/operations.ts'
import { useAnswer } from '../../api/queries.ts'
import { useLanguage } from '../../i18n/define-texts.ts'
import { Axis, ChartOrTable, roundTop } from '../../ui/chart-with-table.tsx'
import { count as countText, momentText, money, percent } from '../../ui/format.ts'
import { Note } from '../../ui/note.tsx'
import { Section } from '../../ui/screen.tsx'
import { Unread } from '../../ui/unread.tsx'
import { useAccount } from '../account.ts'
import { patternTexts } from './patterns-texts.ts'
import classes from './patterns.module.css'
import type { PeriodSearch } from './period.ts'

const hoursOfDay = Array.from({ length: 24 }, (_, hour) => hour)
/** 1 is Monday, as in the API. */
const weekdays = [1, 2, 3, 4, 5, 6, 7]

const hourText = (hour: number): string => `${String(hour).padStart(2, '0')}:00–${String(hour + 1).padStart(2, '0')}:00`

/** The first Monday of 2024 was the first day of the year. */
function useWeekday(): (weekday: number, form?: 'long' | 'short') => string {
  const say = patternTexts.use()
  const language = useLanguage()
  return (weekday, form = 'long') =>
    form === 'short'
      ? say('shortDays').split(' ')[weekday - 1]!
      : new Intl.DateTimeFormat(`${language}-TZ`, { weekday: 'long', timeZone: 'UTC' }).format(Date.UTC(2024, 0, weekday))
}

export default function Patterns({ search }: { search: PeriodSearch }) {
  const say = patternTexts.use()
  const { query } = useAccount()
  const { data, error, refetch } = useAnswer('GET /v1/merchant/patterns', { query: { ...query, ...search } })
  if (!data) return <Unread of={{ error, refetch }} placeholder={700} />
  const patterns = data.data
  const { counted_after: after } = patterns
  return (
    <div className={classes['patterns']}>
      <Section title={say('hours')}>
        <Hours hours={patterns.hours} />
        {after !== null && <Note mt="xs">{say('newestOnly', { when: momentText(after) })}</Note>}
      </Section>
      <Section title={say('weeks')}>
        <Weeks patterns={patterns} />
      </Section>
      <Section title={say('reasons')}>
        <Reasons patterns={patterns} />
      </Section>
    </div>
  )
}

/** The picture is a table, so that a screen reader reads each number; the darkest field is the hour with most payments. */
function Hours({ hours }: Pick<MerchantPatterns, 'hours'>) {
  const say = patternTexts.use()
  const weekdayText = useWeekday()
  const most = Math.max(0, ...hours.map(({ count }) => count))
  const busiest = hours.find(({ count }) => count === most)
  if (!busiest) return <Text c="dimmed">{say('none')}</Text>
  const countOf = new Map(hours.map(({ weekday, hour, count }) => [weekday * 24 + hour, count]))
  return (
    <>
      <Text mb="xs">
        {say('busiest', { weekday: weekdayText(busiest.weekday), hour: hourText(busiest.hour), count: busiest.count })}
      </Text>
      <table className={classes['hours']} aria-label={say('hoursOf')}>
        <thead>
          <tr>
            <th scope="col">
              <VisuallyHidden>{say('weekday')}</VisuallyHidden>
            </th>
            {hoursOfDay.map((hour) => (
              <th key={hour} scope="col">
                {hour % 6 === 0 ? <span>{hour}</span> : <VisuallyHidden>{hour}</VisuallyHidden>}
              </th>
            ))}
            <th scope="col">{say('total')}</th>
          </tr>
        </thead>
        <tbody>
          {weekdays.map((weekday) => (
            <tr key={weekday}>
              <th scope="row">
                <span aria-hidden>{weekdayText(weekday, 'short')}</span>
                <VisuallyHidden>{weekdayText(weekday)}</VisuallyHidden>
              </th>
              {hoursOfDay.map((hour) => {
                const count = countOf.get(weekday * 24 + hour) ?? 0
                return (
                  <td key={hour} title={say('cell', { weekday: weekdayText(weekday), hour: hourText(hour), count })}>
                    {count > 0 && <span style={{ opacity: 0.2 + (0.8 * count) / most }} />}
                    <VisuallyHidden>{count}</VisuallyHidden>
                  </td>
                )
              })}
              <td className="figures">
                {countText(hoursOfDay.reduce((sum, hour) => sum + (countOf.get(weekday * 24 + hour) ?? 0), 0))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}

type Days = MerchantPatterns['this_week']

const volumeOf = (days: Days): number => days.reduce((sum, { volume }) => sum + volume, 0)

function Weeks({ patterns: { this_week: now, last_week: before } }: { patterns: MerchantPatterns }) {
  const say = patternTexts.use()
  if (volumeOf([...now, ...before]) === 0) return <Text c="dimmed">{say('noneInWeeks')}</Text>
  const summary = say('sameDays', { now: money(volumeOf(now)), before: money(volumeOf(before.slice(0, now.length))) })
  return (
    <>
      <Text mb="xs">{summary}</Text>
      <ChartOrTable
        label={say('received')}
        chart={<WeekBars now={now} before={before} summary={summary} />}
        table={<WeekTable now={now} before={before} />}
      />
    </>
  )
}

function WeekBars({ now, before, summary }: { now: Days; before: Days; summary: string }) {
  const say = patternTexts.use()
  const weekdayText = useWeekday()
  const top = roundTop(Math.max(...[...now, ...before].map(({ volume }) => volume)))
  const high = (volume = 0): string => `${volume === 0 ? 0 : Math.max((volume / top) * 100, 1)}%`
  return (
    <figure className={classes['weeks']}>
      <div className={classes['plot']}>
        <Axis top={top} />
        <div className={classes['days']} role="img" aria-label={summary}>
          {before.map(({ date, volume }, index) => (
            <div key={date}>
              <div className={classes['pair']}>
                <span data-before style={{ height: high(volume) }} />
                <span style={{ height: high(now[index]?.volume) }} />
              </div>
              <small>{weekdayText(index + 1, 'short')}</small>
            </div>
          ))}
        </div>
      </div>
      <figcaption>
        <span data-before>{say('lastWeek')}</span>
        <span>{say('thisWeek')}</span>
      </figcaption>
    </figure>
  )
}

function WeekTable({ now, before }: { now: Days; before: Days }) {
  const say = patternTexts.use()
  const weekdayText = useWeekday()
  return (
    <Table aria-label={say('weeks')} horizontalSpacing={4}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">{say('day')}</Table.Th>
          <Table.Th scope="col" ta="end">
            {say('lastWeek')}
          </Table.Th>
          <Table.Th scope="col" ta="end">
            {say('thisWeek')}
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {before.map(({ date, volume }, index) => (
          <Table.Tr key={date}>
            <Table.Th scope="row" fw={400}>
              {weekdayText(index + 1)}
            </Table.Th>
            <Table.Td ta="end" className="figures">
              {money(volume)}
            </Table.Td>
            <Table.Td ta="end" className="figures">
              {now[index] ? money(now[index].volume) : '–'}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

function Reasons({ patterns: { hours, reasons } }: { patterns: MerchantPatterns }) {
  const say = patternTexts.use()
  const language = useLanguage()
  const lost = reasons.reduce((sum, { count }) => sum + count, 0)
  const all = lost + hours.reduce((sum, { count }) => sum + count, 0)
  if (lost === 0) return <Text c="dimmed">{say('noneLost')}</Text>
  return (
    <>
      <Text mb="xs">{say('ended', { lost: countText(lost), all: countText(all) })}</Text>
      <Table aria-label={say('reasons')} horizontalSpacing={0} verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{say('reason')}</Table.Th>
            <Table.Th scope="col" ta="end">
              {say('count')}
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {reasons.map(({ code, reason, reason_sw: inSwahili, count }) => (
            <Table.Tr key={code}>
              <Table.Td>
                {language === 'sw' ? inSwahili : reason}
                <div className={classes['share']} aria-hidden>
                  <span style={{ width: percent(count / lost, 'en') }} />
                </div>
              </Table.Td>
              <Table.Td ta="end" pl="md" className="figures nowrap">
                {countText(count)} · {percent(count / lost)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </>
  )
}
