/** The state of the service at a glance: open work, networks, queues and the books. */
import { Alert, Badge, Group, Paper, SimpleGrid, Text, ThemeIcon } from '@mantine/core'
import {
  IconBuildingStore,
  IconCash,
  IconHourglassLow,
  IconMessage,
  IconScale,
  IconServer,
  IconUserCheck,
  type Icon,
} from '../../ui/icons.ts'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { OperationsOverview } from '../../api/operations.ts'
import { useAnswer } from '../../api/queries.ts'
import { useLanguage } from '../../i18n/define-texts.ts'
import { Note } from '../../ui/note.tsx'
import { figureColumn, headingColumn, oppositeColumn } from '../../ui/columns.tsx'
import { ListSection } from '../../ui/list-screen.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { count, percent } from '../../ui/format.ts'
import { Moment } from '../../ui/moment.tsx'
import { Screen, Section } from '../../ui/screen.tsx'
import { environmentColumn } from '../environment-badge.tsx'
import { Waited, type OpenWork } from '../open-work.tsx'
import { ageText } from '../operator-texts.ts'
import { QueueAges } from './queue-ages.tsx'
import { SuccessByHour } from './success-by-hour.tsx'
import { homeTexts } from './texts.ts'
import { UnreadScreen } from '../../ui/unread.tsx'
import { providerName } from '../provider-name.ts'

export default function HomeScreen() {
  const say = homeTexts.use()
  const { data: answer, error, refetch } = useAnswer('GET /v1/admin/overview', {}, { isLive: 'slowly' })
  if (!answer) return <UnreadScreen title={say('title')} of={{ error, refetch }} placeholder={520} />
  const overview = answer.data
  return (
    <Screen title={say('title')}>
      {error && <ErrorState error={error} onRetry={refetch} />}
      <Books books={overview.books} />
      <Waiting overview={overview} />
      <QueueAges overview={overview} />
      <Networks networks={overview.networks} />
      <SuccessByHour />
      <Providers overview={overview} />
      <Work overview={overview} />
    </Screen>
  )
}

type Part = { overview: OperationsOverview }

function Books({ books: { violations, late } }: { books: OperationsOverview['books'] }) {
  const say = homeTexts.use()
  if (violations.length > 0) {
    return (
      <Alert color="red" role="alert">
        {say('booksBroken', { what: violations.map(({ what }) => what).join('; ') })}
      </Alert>
    )
  }
  return late ? (
    <Alert color="yellow" role="alert">
      {say('booksLate')}
    </Alert>
  ) : null
}

type QueueLinkProps = {
  /** A link to the list with exactly the rows that are counted. */
  link: (content: string) => ReactNode
  icon: Icon
  title: string
  work: OpenWork | undefined
  note?: ReactNode
}

function QueueLink({ link, icon: Sign, title, work, note }: QueueLinkProps) {
  const say = homeTexts.use()
  const size = work?.count ?? 0
  return (
    <Paper p={{ base: 'sm', xs: 'lg' }} component="section" aria-label={title}>
      <Group justify="space-between" align="start" wrap="nowrap">
        {link(title)}
        <ThemeIcon visibleFrom="xs" variant="light" color={size === 0 ? 'gray' : 'yellow'} size={36} radius="xl">
          <Sign size={18} stroke={1.7} aria-hidden />
        </ThemeIcon>
      </Group>
      <Text fz={26} fw={650} lh={1.4} className="figures">
        {count(size)}
      </Text>
      {size === 0 || !work ? (
        <Note mih={21}>{say('nothing')}</Note>
      ) : (
        <Group gap={6} mih={21}>
          <Text size="sm">{say('oldestWaits')}</Text>
          <Waited seconds={work.oldest_seconds ?? 0} overdueAfter={work.overdue_after_seconds} />
          {note}
        </Group>
      )}
    </Paper>
  )
}

function Waiting({ overview: { open_work, waiting_reviews } }: Part) {
  const say = homeTexts.use()
  const workOf = (name: OpenWork['name']) => open_work.find((one) => one.name === name)
  return (
    <Section title={say('queues')} isBare>
      <SimpleGrid cols={{ base: 2, lg: 3 }} spacing={{ base: 'xs', xs: 'md' }}>
        {(
          [
            ['business', 'business_reviews', IconBuildingStore],
            ['person', 'person_reviews', IconUserCheck],
          ] as const
        ).map(([kind, name, icon]) => {
          const overdue = waiting_reviews.find((one) => one.kind === kind)?.overdue ?? 0
          return (
            <QueueLink
              key={kind}
              link={(content) => (
                <Link to="/reviews" search={{ kind }}>
                  {content}
                </Link>
              )}
              icon={icon}
              title={say(`openWork.${name}`)}
              work={workOf(name)}
              note={
                overdue > 0 && (
                  <Link to="/reviews" search={{ kind, overdue: true }}>
                    {say('overdue', { count: overdue })}
                  </Link>
                )
              }
            />
          )
        })}
        <QueueLink
          link={(content) => <Link to="/stuck">{content}</Link>}
          icon={IconHourglassLow}
          title={say('openWork.stuck_payments')}
          work={workOf('stuck_payments')}
        />
        <QueueLink
          link={(content) => <Link to="/support-cases">{content}</Link>}
          icon={IconMessage}
          title={say('openWork.support_cases')}
          work={workOf('support_cases')}
        />
        <QueueLink
          link={(content) => <Link to="/breaks">{content}</Link>}
          icon={IconScale}
          title={say('openWork.breaks')}
          work={workOf('breaks')}
        />
        <QueueLink
          link={(content) => <Link to="/payouts">{content}</Link>}
          icon={IconCash}
          title={say('openWork.payout_approvals')}
          work={workOf('payout_approvals')}
        />
      </SimpleGrid>
    </Section>
  )
}

type Network = OperationsOverview['networks'][number]

const networkColors = { operational: 'green', degraded: 'yellow', down: 'red' } as const

function Networks({ networks }: { networks: readonly Network[] }) {
  const say = homeTexts.use()
  const rate = (minutes: number) =>
    function Rate({ windows }: Network) {
      const found = windows.find((one) => one.minutes === minutes)
      if (!found || found.success_rate === null) return say('noneBegun')
      return say('ofBegun', { rate: percent(found.success_rate), count: count(found.begun) })
    }
  const columns: Column<Network>[] = [
    headingColumn(say('network'), ({ network }) => say(`network.${network}`)),
    environmentColumn(say('money'), ({ environment }) => environment),
    figureColumn(say('last.five'), rate(5)),
    figureColumn(say('last.hour'), rate(60)),
    figureColumn(say('last.day'), rate(1440)),
    oppositeColumn(say('status'), ({ status, switched_off }) =>
      switched_off ? (
        <Badge color="red">{say('off')}</Badge>
      ) : (
        <Badge color={networkColors[status]}>{say(`status.${status}`)}</Badge>
      ),
    ),
  ]
  return (
    <ListSection
      title={say('networks')}
      list={networks}
      columns={columns}
      rowKey={({ environment, network }) => `${environment} ${network}`}
      none={{ icon: IconServer, title: say('noData') }}
    />
  )
}

type Provider = OperationsOverview['providers'][number]

function Providers({ overview: { providers, reconciliation } }: Part) {
  const say = homeTexts.use()
  const columns: Column<Provider>[] = [
    headingColumn(say('provider'), ({ provider, direction }) => `${providerName(provider)} · ${say(`direction.${direction}`)}`),
    environmentColumn(say('money'), ({ environment }) => environment),
    figureColumn(say('calls'), ({ calls }) => count(calls)),
    figureColumn(say('success'), ({ success_rate }) => (success_rate === null ? '–' : percent(success_rate))),
    figureColumn(say('latency'), ({ latency_ms }) => (latency_ms === null ? '–' : say('latencyText', latency_ms))),
    {
      title: say('reconciliation'),
      cell: ({ provider, environment, direction }) => {
        const last = reconciliation.find(
          (one) => one.provider === provider && one.environment === environment && one.subject === direction,
        )
        if (!last) return '–'
        return (
          <Group gap={6}>
            {last.last_ended_at === null ? say('never') : <Moment at={last.last_ended_at} ago />}
            {last.late && <Badge color="red">{say('late')}</Badge>}
          </Group>
        )
      },
    },
    oppositeColumn(say('status'), ({ circuit, provider, environment, other_signature }) => (
      <>
        <Badge color={circuit === 'closed' ? 'green' : 'red'}>{say(`circuit.${circuit}`)}</Badge>
        {other_signature !== null && (
          <Note>
            {say('otherSignature', {
              setting: `${provider}_${environment}_WEBHOOK_SIGNATURE`.toUpperCase(),
              form: other_signature,
            })}
          </Note>
        )}
      </>
    )),
  ]
  return (
    <ListSection
      title={say('providers')}
      list={providers}
      columns={columns}
      rowKey={({ provider, environment, direction }) => `${provider} ${environment} ${direction}`}
      none={{ icon: IconServer, title: say('noData') }}
    />
  )
}

function Work({ overview: { queues, webhooks, books } }: Part) {
  const say = homeTexts.use()
  const language = useLanguage()
  return (
    <Section title={say('work')} isBare>
      <SimpleGrid cols={{ base: 2, lg: 4 }} spacing={{ base: 'xs', xs: 'md' }}>
        {queues.map(({ name, due, oldest_seconds }) => (
          <Small
            key={name}
            title={say(`queue.${name}`)}
            value={count(due, language)}
            note={oldest_seconds === null ? say('nothing') : say('oldest', { age: ageText(oldest_seconds, language) })}
          />
        ))}
        <Small
          title={say('webhooks')}
          value={webhooks.failure_rate === null ? '–' : percent(webhooks.failure_rate, language)}
          note={`${count(webhooks.failed, language)} / ${count(webhooks.failed + webhooks.succeeded, language)}`}
        />
        <Small
          title={say('books')}
          value={books.violations.length === 0 ? say('booksHold') : count(books.violations.length, language)}
          note={books.checked_at === null ? say('never') : <Moment at={books.checked_at} ago />}
        />
      </SimpleGrid>
    </Section>
  )
}

function Small({ title, value, note }: { title: string; value: string; note: ReactNode }) {
  return (
    <Paper p="md" component="section" aria-label={title}>
      <Note>{title}</Note>
      <Text fz={18} fw={650} className="figures">
        {value}
      </Text>
      <Note>{note}</Note>
    </Paper>
  )
}
