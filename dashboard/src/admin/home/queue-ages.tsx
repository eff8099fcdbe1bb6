/** How old the oldest entry of each queue is, drawn beside the limit from which it is overdue. */
import { Text } from '@mantine/core'
import type { OperationsOverview } from '../../api/operations.ts'
import { useLanguage } from '../../i18n/define-texts.ts'
import { Note } from '../../ui/note.tsx'
import { Section } from '../../ui/screen.tsx'
import { Waited } from '../open-work.tsx'
import { ageText } from '../operator-texts.ts'
import classes from './charts.module.css'
import { homeTexts } from './texts.ts'

const minute = 60
const longest = 7 * 86_400
const marks = [
  { name: 'minute', seconds: minute },
  { name: 'hour', seconds: 3_600 },
  { name: 'day', seconds: 86_400 },
  { name: 'week', seconds: longest },
] as const

/** From 0 to 100. Each tenfold has the same length, so that seconds and days are both visible. */
const placeOf = (seconds: number): number =>
  (Math.log1p(Math.min(seconds, longest) / minute) / Math.log1p(longest / minute)) * 100

type Row = { name: string; seconds: number | null; limit?: number }

export function QueueAges({ overview: { open_work, queues } }: { overview: OperationsOverview }) {
  const say = homeTexts.use()
  const language = useLanguage()
  const rows: Row[] = [
    ...open_work.map((one) => ({
      name: say(`openWork.${one.name}`),
      seconds: one.oldest_seconds,
      limit: one.overdue_after_seconds,
    })),
    ...queues.map((one) => ({ name: say(`queue.${one.name}`), seconds: one.oldest_seconds })),
  ]
  return (
    <Section title={say('ages')}>
      <ul className={classes['ages']} aria-label={say('ages')}>
        {rows.map(({ name, seconds, limit }) => (
          <li key={name}>
            <Text size="sm">{name}</Text>
            <div className={classes['line']} aria-hidden>
              {seconds !== null && (
                <span
                  className={classes['age']}
                  data-overdue={(limit !== undefined && seconds > limit) || undefined}
                  style={{ width: `${placeOf(seconds)}%` }}
                />
              )}
              {limit !== undefined && <span className={classes['limit']} style={{ insetInlineStart: `${placeOf(limit)}%` }} />}
            </div>
            <div>
              {seconds === null ? <Note>{say('nothing')}</Note> : <Waited seconds={seconds} overdueAfter={limit ?? Infinity} />}
              {limit !== undefined && seconds !== null && (
                <Note size="xs">{say('limit', { age: ageText(limit, language) })}</Note>
              )}
            </div>
          </li>
        ))}
        <li aria-hidden>
          <span />
          <div className={classes['scale']}>
            {marks.map(({ seconds, name }) => (
              <Note key={name} size="xs" style={{ insetInlineStart: `${placeOf(seconds)}%` }}>
                {say(`mark.${name}`)}
              </Note>
            ))}
          </div>
          <span />
        </li>
      </ul>
    </Section>
  )
}
