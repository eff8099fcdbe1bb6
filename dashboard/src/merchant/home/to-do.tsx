/** The one list of what to do: what waits for this person, problems, and the way to the first live payment. Hidden when it is empty. */
import { Button, Group, Paper, Stack, Text, ThemeIcon } from '@mantine/core'
import { Note } from '../../ui/note.tsx'
import { IconAlertTriangle, IconArrowRight, IconChevronRight, IconClock } from '../../ui/icons.ts'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useAnswer } from '../../api/queries.ts'
import type { MerchantSummary } from '../../api/operations.ts'
import { Section } from '../../ui/screen.tsx'
import { useAccount } from '../account.ts'
import { useWaitingForMe } from '../waiting-for-me.ts'
import classes from './home.module.css'
import { approvalStep, progressOf, stepsOf, type Step } from './steps.ts'
import { homeTexts } from './texts.ts'

/** More would push the figures off a phone; the rest is one press away. */
const shownAtFirst = 3

/** `setup`: undefined for a member who does not set up the wallet. */
export function ToDo({ setup }: { setup: MerchantSummary['setup'] | undefined }) {
  const say = homeTexts.use()
  const { owner, environment } = useAccount()
  const [showsAll, setShowsAll] = useState(false)
  const me = useAnswer('GET /v1/me', {}).data?.data
  const isBusiness = owner !== 'me' && setup !== undefined
  const businesses = useAnswer('GET /v1/businesses', { query: { limit: 100 } }, { isWanted: isBusiness }).data?.data
  const waiting = useWaitingForMe()
  if (!me || (isBusiness && !businesses)) return null
  const facts = setup && { me, business: businesses?.find(({ id }) => id === owner), setup, environment }
  const steps = [...(waiting ? [approvalStep(say, waiting)] : []), ...(facts ? stepsOf(say, facts) : [])]
  const progress = facts && progressOf(facts)
  if (steps.length === 0) return null
  const shown = showsAll ? steps : steps.slice(0, shownAtFirst)
  return (
    <Section
      title={say('toDo')}
      isBare
      actions={
        progress && (
          <Text size="sm" c="dimmed">
            {say('first.progress', progress)}
          </Text>
        )
      }
    >
      <Paper>
        <ul className={classes['steps']}>
          {shown.map((step) => (
            <li key={step.key}>
              <Link
                to={step.to}
                params={{ owner: step.owner ?? owner, environment: step.environment ?? environment }}
                className={classes['step']}
              >
                <StepText {...step} />
                <IconChevronRight size={18} aria-hidden />
              </Link>
            </li>
          ))}
        </ul>
        {shown.length < steps.length && (
          <Button variant="subtle" fullWidth onClick={() => setShowsAll(true)}>
            {say('allSteps', { count: steps.length })}
          </Button>
        )}
      </Paper>
    </Section>
  )
}

const looks = { do: ['green', IconArrowRight], wait: ['gray', IconClock], problem: ['yellow', IconAlertTriangle] } as const

function StepText({ title, text, isWaiting = false, isProblem = false }: Step) {
  const [color, Sign] = looks[isProblem ? 'problem' : isWaiting ? 'wait' : 'do']
  return (
    <Group gap="sm" wrap="nowrap" flex={1} miw={0}>
      <ThemeIcon variant="light" color={color} radius="xl" size={32}>
        <Sign size={16} aria-hidden />
      </ThemeIcon>
      <Stack gap={0}>
        <Text fw={550}>{title}</Text>
        {text !== undefined && <Note>{text}</Note>}
      </Stack>
    </Group>
  )
}
