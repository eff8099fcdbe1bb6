/** What waits for an operator, at a glance: how much of each, and whether it can be read at all. */
import { Group, Paper, SimpleGrid, Skeleton, Text, ThemeIcon } from '@mantine/core'
import { IconBuildingStore, IconCash, IconHourglassLow, IconScale, IconUserCheck, type Icon } from '@tabler/icons-react'
import type { UseQueryResult } from '@tanstack/react-query'
import { useAnswer } from '../../api/queries.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { Screen, Section } from '../../ui/screen.tsx'
import { homeTexts } from './texts.ts'

/** Lists say whether there is more, not how much: beyond this the exact number helps nobody. */
const counted = 100

export function HomeScreen() {
  const say = homeTexts.use()
  const isLive = true
  const businesses = useAnswer(
    'GET /v1/admin/businesses',
    { query: { stage: 'submitted', status: 'pending', limit: counted } },
    { isLive },
  )
  const people = useAnswer('GET /v1/admin/kyc', { query: { stage: 'submitted', status: 'pending', limit: counted } }, { isLive })
  const stuck = useAnswer('GET /v1/admin/payments/stuck', { query: { limit: counted } }, { isLive })
  const breaks = useAnswer('GET /v1/admin/breaks', { query: { status: 'open', limit: counted } }, { isLive })
  const payouts = useAnswer('GET /v1/admin/payouts', { query: { approval: 'required', limit: counted } }, { isLive })
  return (
    <Screen title={say('title')}>
      <Section title={say('queues')} isBare>
        <SimpleGrid cols={{ base: 1, xs: 2, lg: 3 }}>
          <Queue icon={IconBuildingStore} title={say('businesses')} answer={businesses} />
          <Queue icon={IconUserCheck} title={say('people')} answer={people} />
          <Queue icon={IconHourglassLow} title={say('stuck')} answer={stuck} />
          <Queue icon={IconScale} title={say('breaks')} answer={breaks} />
          <Queue icon={IconCash} title={say('payouts')} answer={payouts} />
        </SimpleGrid>
      </Section>
    </Screen>
  )
}

type QueueProps = { icon: Icon; title: string; answer: UseQueryResult<{ data: readonly unknown[]; has_more: boolean }> }

function Queue({ icon: Sign, title, answer: { data: answer, error, refetch } }: QueueProps) {
  const say = homeTexts.use()
  if (error && !answer) return <ErrorState error={error} onRetry={refetch} />
  const isQuiet = answer?.data.length === 0
  return (
    <Paper p="lg" component="section" aria-label={title}>
      <Group justify="space-between" align="start" wrap="nowrap">
        <Text c="dimmed">{title}</Text>
        <ThemeIcon variant="light" color={isQuiet || !answer ? 'gray' : 'yellow'} size={36} radius="xl">
          <Sign size={18} stroke={1.7} aria-hidden />
        </ThemeIcon>
      </Group>
      {answer ? (
        <Text fz={26} fw={650} lh={1.4} className="figures">
          {answer.data.length}
          {answer.has_more && '+'}
        </Text>
      ) : (
        <Skeleton h={30} w={64} mt={6} />
      )}
      <Text size="sm" c="dimmed" mih={21}>
        {isQuiet && say('nothing')}
      </Text>
    </Paper>
  )
}
