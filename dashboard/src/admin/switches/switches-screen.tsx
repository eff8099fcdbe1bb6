/** The kill switches: which are off, the reasons, and the operators. */
import { Badge, Button, Text } from '@mantine/core'
import { IconPower } from '../../ui/icons.ts'
import { useState } from 'react'
import type { Switch } from '../../api/operations.ts'
import { useAction, useAnswer } from '../../api/queries.ts'
import { DataTable, type Column } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Moment } from '../../ui/moment.tsx'
import { Screen } from '../../ui/screen.tsx'
import { shared } from '../../ui/texts.ts'
import { EnvironmentBadge } from '../environment-badge.tsx'
import { useActorName } from '../me.ts'
import { operatorTexts } from '../operator-texts.ts'
import { ReasonDialog } from '../reason-dialog.tsx'
import { switchesTexts } from './texts.ts'

export function SwitchesScreen() {
  const say = switchesTexts.use()
  const sayOperator = operatorTexts.use()
  const sayShared = shared.use()
  const nameOfActor = useActorName()
  const { data: answer, error, refetch } = useAnswer('GET /v1/admin/switches', {}, { isLive: true })
  const [asked, setAsked] = useState<Switch>()
  const turn = useAction('PUT /v1/admin/switches/{name}')
  const nameOf = ({ subject, network, environment }: Switch): string =>
    [
      say(`subject.${subject}`),
      network === null ? say('every') : sayShared(`network.${network}`),
      environment === null ? say('both') : sayOperator(`environment.${environment}`),
    ].join(' · ')
  const columns: Column<Switch>[] = [
    { key: 'subject', title: say('title'), onCard: 'heading', cell: ({ subject }) => say(`subject.${subject}`) },
    {
      key: 'network',
      title: sayOperator('network'),
      cell: ({ network }) => (network === null ? say('every') : sayShared(`network.${network}`)),
    },
    {
      key: 'environment',
      title: sayOperator('money'),
      cell: ({ environment }) => (environment === null ? say('both') : <EnvironmentBadge environment={environment} />),
    },
    {
      key: 'state',
      title: sayOperator('status'),
      onCard: 'opposite',
      cell: ({ state }) => (
        <Badge color={state === 'on' ? 'green' : 'red'} leftSection={<IconPower size={13} aria-hidden />}>
          {say(state)}
        </Badge>
      ),
    },
    {
      key: 'last',
      title: say('last'),
      cell: ({ reason, changed_by, changed_at }) =>
        changed_at === null ? (
          <Text size="sm" c="dimmed">
            {say('never')}
          </Text>
        ) : (
          <Text size="sm">
            {reason} – {changed_by === null ? '' : nameOfActor(changed_by)}, <Moment at={changed_at} ago />
          </Text>
        ),
    },
    {
      key: 'turn',
      title: '',
      cell: (one) => (
        <Button
          size="xs"
          variant="default"
          aria-label={`${say(one.state === 'on' ? 'turnOff' : 'turnOn')}: ${nameOf(one)}`}
          onClick={() => {
            turn.reset()
            setAsked(one)
          }}
        >
          {say(one.state === 'on' ? 'turnOff' : 'turnOn')}
        </Button>
      ),
    },
  ]
  const isOff = asked?.state === 'off'
  return (
    <Screen title={say('title')} text={say('text')}>
      <DataTable
        label={say('title')}
        columns={columns}
        rows={answer?.data.toSorted((one, other) => Number(one.state === 'on') - Number(other.state === 'on'))}
        rowKey={({ name }) => name}
        error={error}
        onRetry={refetch}
        empty={<EmptyState icon={IconPower} title={say('never')} />}
      />
      <ReasonDialog
        isOpen={asked !== undefined}
        onClose={() => setAsked(undefined)}
        title={asked ? say(isOff ? 'turnOnTitle' : 'turnOffTitle', { name: nameOf(asked) }) : ''}
        label={say('why')}
        action={say(isOff ? 'turnOn' : 'turnOff')}
        isDanger={!isOff}
        isBusy={turn.isPending}
        error={turn.error}
        onConfirm={(reason) => {
          if (asked === undefined) return
          turn.mutate(
            { params: { name: asked.name }, body: { state: isOff ? 'on' : 'off', reason } },
            { onSuccess: () => setAsked(undefined) },
          )
        }}
      >
        {say(isOff ? 'turnOnText' : 'turnOffText')}
      </ReasonDialog>
    </Screen>
  )
}
