/** The members of a business: their roles, invitations, and the membership of the reader. */
import { Alert, Button, Group, Skeleton, Stack, Text } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import type { Membership } from '../../api/operations.ts'
import { useAnswer } from '../../api/queries.ts'
import { Facts } from '../../ui/facts.tsx'
import { IconPlus } from '../../ui/icons.ts'
import { Screen, Section } from '../../ui/screen.tsx'
import { useCan, useMembership } from '../membership.ts'
import { WalletNav } from '../wallet-nav.tsx'
import type { Asked } from './dialogs.tsx'
import { Members } from './members.tsx'
import { teamTexts } from './texts.ts'

const Dialogs = lazy(() => import('./dialogs.tsx'))

export default function TeamScreen() {
  const say = teamTexts.use()
  const can = useCan()
  const membership = useMembership()
  const [asked, setAsked] = useState<Asked>()
  const isManager = can('members.write') === true
  const invite = isManager && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setAsked({ what: 'invite' })}>
      {say('invite')}
    </Button>
  )
  if (!membership || membership === 'me') {
    return (
      <Screen title={say('title')} text={say('text')}>
        <Skeleton h={240} />
      </Screen>
    )
  }
  return (
    <Screen title={say('title')} nav={<WalletNav of="team" />} text={say('text')} actions={invite}>
      {can('members.read') && <Members membership={membership} onAsk={setAsked} />}
      <Section title={say('yours')}>
        <Yours membership={membership} onLeave={() => setAsked({ what: 'leave', membership })} />
      </Section>
      {asked && (
        <Suspense>
          <Dialogs asked={asked} businessId={membership.business.id} onClose={() => setAsked(undefined)} />
        </Suspense>
      )}
    </Screen>
  )
}

/** Also for those who may not see the others. */
function Yours({ membership: { business, role }, onLeave }: { membership: Membership; onLeave(): void }) {
  const say = teamTexts.use()
  const can = useCan()
  const isOwner = can('owners.write') === true
  const members = useAnswer(
    'GET /v1/businesses/{business_id}/members',
    { params: { business_id: business.id }, query: { limit: 100 } },
    { isWanted: isOwner },
  ).data?.data
  const owners = members?.filter((one) => one.role === role && one.status === 'active').length
  const isLastOwner = isOwner && owners === 1
  return (
    <Stack>
      <Facts
        facts={[
          [
            say('yourRole'),
            <Text key="role" fw={600} span>
              {say(`name.${role}`)}
            </Text>,
          ],
          [say('may'), say(`may.${role}`)],
        ]}
      />
      {isOwner && <Alert color="blue">{say(isLastOwner ? 'lastOwner' : 'handOver')}</Alert>}
      <Group>
        <Button variant="default" onClick={onLeave} disabled={isLastOwner}>
          {say('leave')}
        </Button>
      </Group>
    </Stack>
  )
}
