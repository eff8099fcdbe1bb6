/** For a member who may not see the money of the business: what their role may do, and the first step of it. */
import { LinkButton } from '../links.tsx'
import { Group, Paper, Stack, Text } from '@mantine/core'
import { useCan, useMembership } from '../membership.ts'
import { homeTexts } from './texts.ts'

export function YourRole() {
  const say = homeTexts.use()
  const can = useCan()
  const membership = useMembership()
  if (!membership || membership === 'me') return undefined
  return (
    <Paper p="lg">
      <Stack>
        <div>
          <Text fw={600}>{say('role', { business: membership.business.name, role: say(`name.${membership.role}`) })}</Text>
          <Text c="dimmed">{say(`may.${membership.role}`)}</Text>
        </div>
        <Group gap="xs">
          {can('payments.read') && <LinkButton to="./till">{say('toTill')}</LinkButton>}
          {can('requests.write') && (
            <LinkButton variant="default" to="./pages/requests/new">
              {say('makeRequest')}
            </LinkButton>
          )}
          {can('apps.write') && (
            <LinkButton variant="default" to="./developers">
              {say('toDevelopers')}
            </LinkButton>
          )}
        </Group>
      </Stack>
    </Paper>
  )
}
