/** The list of open tasks; hidden when it is empty. */
import { Group, Paper, Stack, Text, ThemeIcon } from '@mantine/core'
import { Note } from '../../ui/note.tsx'
import { IconAlertTriangle, IconArrowRight, IconChevronRight, IconClock } from '../../ui/icons.ts'
import { Link } from '@tanstack/react-router'
import { useAnswer } from '../../api/queries.ts'
import type { MerchantSummary } from '../../api/operations.ts'
import { Section } from '../../ui/screen.tsx'
import { useAccount } from '../account.ts'
import classes from './home.module.css'
import { stepsOf, type Step } from './steps.ts'
import { homeTexts } from './texts.ts'

export function ToDo({ setup }: { setup: MerchantSummary['setup'] }) {
  const say = homeTexts.use()
  const { owner, environment } = useAccount()
  const me = useAnswer('GET /v1/me', {}).data?.data
  const businesses = useAnswer('GET /v1/businesses', { query: { limit: 100 } }, { isWanted: owner !== 'me' }).data?.data
  if (!me || (owner !== 'me' && !businesses)) return null
  const steps = stepsOf(say, { me, business: businesses?.find(({ id }) => id === owner), setup })
  if (steps.length === 0) return null
  return (
    <Section title={say('toDo')} isBare>
      <Paper>
        <ul className={classes['steps']}>
          {steps.map((step) => (
            <li key={step.key}>
              <Link to={step.to} params={{ owner: step.owner ?? owner, environment }} className={classes['step']}>
                <StepText {...step} />
                <IconChevronRight size={18} aria-hidden />
              </Link>
            </li>
          ))}
        </ul>
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
        <Note>{text}</Note>
      </Stack>
    </Group>
  )
}
