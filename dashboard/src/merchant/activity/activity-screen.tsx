/** Who did what in a business, newest first. */
import { Badge, Group, Text } from '@mantine/core'
import type { Activity } from '../../api/operations.ts'
import { headingColumn, momentColumn } from '../../ui/columns.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { IconListDetails } from '../../ui/icons.ts'
import { ListScreen, useList } from '../../ui/list-screen.tsx'
import { Money } from '../../ui/money.tsx'
import { useAccount, type Environment } from '../account.ts'
import { roles } from '../roles.ts'
import { WalletNav } from '../wallet-nav.tsx'
import { activityTexts } from './texts.ts'
import { ObjectLink } from './object-link.tsx'

type Say = ReturnType<typeof activityTexts.use>

/** A Swahili verb agrees with its subject; the texts have the form for a person. */
const verbOf: Record<Activity['actor']['type'], string> = { user: 'ali', key: 'uli', system: 'ili', operator: 'ili' }

/** The action as a sentence without its subject; an action that is new here shows its code. */
function sentenceOf(say: Say, { action, actor }: Activity): string {
  const key = `action.${action}`
  return activityTexts.has(key) ? say(key).replace(/^ali/, verbOf[actor.type]) : say('unknown', { action })
}

function environmentOf({ details }: Activity): Environment | undefined {
  const environment = details['environment']
  return environment === 'test' || environment === 'live' ? environment : undefined
}

function What({ entry }: { entry: Activity }) {
  const say = activityTexts.use()
  const environment = environmentOf(entry)
  const { actor, details } = entry
  const amount = details['amount']
  const role = roles.find((one) => one === details['role'])
  return (
    <Group gap={6}>
      <Text fw={400} span>
        <Text fw={600} span>
          {actor.name ?? say(`actor.${actor.type}`)}
        </Text>{' '}
        {sentenceOf(say, entry)}
        {role && ` (${say(`name.${role}`)})`}
        {entry.about !== null && entry.about !== actor.name && `: ${entry.about}`}
      </Text>
      {typeof amount === 'number' && <Money amount={amount} />}
      {environment && (
        <Badge size="sm" color={environment === 'test' ? 'yellow' : 'gray'}>
          {say(`in.${environment}`)}
        </Badge>
      )}
      <ObjectLink entry={entry} {...(environment && { environment })} />
    </Group>
  )
}

export default function ActivityScreen() {
  const say = activityTexts.use()
  const { owner } = useAccount()
  const list = useList(
    'GET /v1/businesses/{business_id}/activity',
    { params: { business_id: owner }, query: { limit: 50 } },
    { isLive: true },
  )
  const columns: Column<Activity>[] = [
    headingColumn(say('what'), (entry) => <What entry={entry} />),
    momentColumn(say('when'), ({ at }) => at),
  ]
  return (
    <ListScreen
      title={say('title')}
      nav={<WalletNav of="team" />}
      text={say('text')}
      list={list}
      columns={columns}
      rowKey={({ id }) => String(id)}
      none={{ icon: IconListDetails, title: say('none'), text: say('noneText') }}
    ></ListScreen>
  )
}
