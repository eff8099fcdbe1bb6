/** The way from registration to the first live payment, from facts of the API. Hidden after its last step. */
import { Group, Paper, Text, ThemeIcon, VisuallyHidden } from '@mantine/core'
import { IconCheck } from '../../ui/icons.ts'
import { Link } from '@tanstack/react-router'
import { useAnswer } from '../../api/queries.ts'
import type { MerchantSummary } from '../../api/operations.ts'
import { Section } from '../../ui/screen.tsx'
import { useAccount } from '../account.ts'
import { standingOf } from '../standing.ts'
import classes from './home.module.css'
import { homeTexts } from './texts.ts'

type Way = {
  key: 'registered' | 'testPayment' | 'keyUsed' | 'webhook' | 'verified' | 'livePayment'
  isDone: boolean
  to:
    | '/$owner/$environment'
    | '/$owner/$environment/try'
    | '/$owner/$environment/developers/quick-start'
    | '/$owner/$environment/developers'
    | '/$owner/$environment/verification'
    | '/$owner/$environment/pages'
  environment?: 'live'
}

export function FirstSteps({ setup }: { setup: MerchantSummary['setup'] }) {
  const say = homeTexts.use()
  const { owner, environment } = useAccount()
  const me = useAnswer('GET /v1/me', {}).data?.data
  const businesses = useAnswer('GET /v1/businesses', { query: { limit: 100 } }, { isWanted: owner !== 'me' }).data?.data
  const business = businesses?.find(({ id }) => id === owner)
  if (environment !== 'test' || setup.has_live_payment || !me || (owner !== 'me' && !business)) return null
  const isVerified = business ? standingOf(business) === 'verified' : me.kyc_status === 'verified'
  const ways: Way[] = [
    { key: 'registered', isDone: true, to: '/$owner/$environment' },
    { key: 'testPayment', isDone: setup.has_test_payment, to: '/$owner/$environment/try' },
    { key: 'keyUsed', isDone: setup.has_used_key, to: '/$owner/$environment/developers/quick-start' },
    { key: 'webhook', isDone: setup.webhooks.enabled > 0, to: '/$owner/$environment/developers' },
    { key: 'verified', isDone: isVerified, to: '/$owner/$environment/verification' },
    { key: 'livePayment', isDone: false, to: '/$owner/$environment/pages', environment: 'live' },
  ]
  const next = ways.find(({ isDone }) => !isDone)
  const title = say('first.title', { done: ways.filter(({ isDone }) => isDone).length, all: ways.length })
  return (
    <Section title={title} isBare>
      <Paper p="xs">
        <ol className={classes['ways']}>
          {ways.map(({ key, isDone, to, environment: other }, place) => (
            <li key={key} data-done={isDone || undefined}>
              <Group gap="xs" wrap="nowrap" className={classes['way']!}>
                <ThemeIcon variant={isDone || key === next?.key ? 'light' : 'default'} color="green" radius="xl" size={26}>
                  {isDone ? <IconCheck size={15} stroke={2.4} aria-hidden /> : <span aria-hidden>{place + 1}</span>}
                </ThemeIcon>
                {isDone ? (
                  <Text span c="dimmed">
                    {say(`first.${key}`)}
                    <VisuallyHidden> ({say('first.isDone')})</VisuallyHidden>
                  </Text>
                ) : (
                  <Link to={to} params={{ owner, environment: other ?? environment }} data-next={key === next?.key || undefined}>
                    {say(`first.${key}`)}
                  </Link>
                )}
              </Group>
            </li>
          ))}
        </ol>
      </Paper>
    </Section>
  )
}
