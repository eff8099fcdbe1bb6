/** The kill switches: which are off, the reasons, and the operators. */
import { Alert, Badge, Button, Skeleton, Stack, Table, Text } from '@mantine/core'
import { Note } from '../../ui/note.tsx'
import { IconAlertTriangle, IconCash, IconFlask2, IconPower } from '../../ui/icons.ts'
import { useState } from 'react'
import { isRefusal } from '../../api/call.ts'
import type { Switch } from '../../api/operations.ts'
import { useAction, useAnswer } from '../../api/queries.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { Moment } from '../../ui/moment.tsx'
import { networks } from '../../ui/networks.ts'
import { Screen } from '../../ui/screen.tsx'
import { EnvironmentBadge } from '../environment-badge.tsx'
import { Actor } from '../me.tsx'
import { ReasonDialog } from '../reason-dialog.tsx'
import { ScrollBox } from '../scroll-box.tsx'
import classes from './switches.module.css'
import { switchesTexts } from './texts.ts'

export default function SwitchesScreen() {
  const say = switchesTexts.use()
  const { data: answer, error, refetch } = useAnswer('GET /v1/admin/switches', {}, { isLive: true })
  const [asked, setAsked] = useState<Switch>()
  const turn = useAction('PUT /v1/admin/switches/{name}')
  const nameOf = ({ subject, network, environment }: Switch): string =>
    [
      say(`subject.${subject}`),
      network === null ? say('every') : say(`network.${network}`),
      environment === null ? say('both') : say(`environment.${environment}`),
    ].join(' · ')
  const all = answer?.data
  const off = all?.filter(({ state }) => state === 'off') ?? []
  const isOff = asked?.state === 'off'
  // After a restore of the database, a switch is turned on before the comparison with the providers only on a second request.
  const [force, setForce] = useState<'offered' | 'asked'>()
  const isForced = force === 'asked'
  const ask = (one?: Switch): void => {
    setForce(undefined)
    setAsked(one)
  }
  return (
    <Screen title={say('title')} text={say('text')}>
      {error && <ErrorState error={error} onRetry={refetch} />}
      {all && (
        <Alert color={off.length === 0 ? 'green' : 'red'} role="status">
          {off.length === 0 ? say('allOn') : say('offNow', { names: off.map(nameOf).join('; ') })}
        </Alert>
      )}
      {all ? <Matrix all={all} nameOf={nameOf} onAsk={ask} /> : !error && <Skeleton h={420} />}
      <ReasonDialog
        key={String(isForced)}
        isOpen={asked !== undefined}
        onClose={() => ask()}
        title={asked ? say(isForced ? 'forceTitle' : isOff ? 'turnOnTitle' : 'turnOffTitle', { name: nameOf(asked) }) : ''}
        label={say('why')}
        action={say(isForced ? 'force' : isOff ? 'turnOn' : 'turnOff')}
        isDanger={isForced || !isOff}
        onConfirm={async (reason) => {
          if (asked === undefined) return
          const body = { state: isOff ? ('on' as const) : ('off' as const), reason, ...(isForced && { force: true }) }
          try {
            await turn.mutateAsync({ params: { name: asked.name }, body })
          } catch (error) {
            if (isRefusal(error, 'restore_not_compared')) setForce('offered')
            throw error
          }
          ask()
        }}
      >
        {asked?.environment === 'test' ? (
          <Alert color="gray" icon={<IconFlask2 size={18} aria-hidden />} title={say('environment.test')}>
            {say('testOnly')}
          </Alert>
        ) : (
          <Alert color="red" icon={<IconCash size={18} aria-hidden />} title={say('environment.live')}>
            {say('realMoney')}
          </Alert>
        )}
        <Text>{say(isForced ? 'forceText' : isOff ? 'turnOnText' : 'turnOffText')}</Text>
        {force === 'offered' && (
          <Button variant="subtle" color="red" onClick={() => setForce('asked')}>
            {say('force')}
          </Button>
        )}
      </ReasonDialog>
    </Screen>
  )
}

const columns = (['live', 'test'] as const).flatMap((environment) =>
  (['checkout', 'payouts'] as const).map((subject) => ({ environment, subject })),
)

type MatrixProps = { all: readonly Switch[]; nameOf(one: Switch): string; onAsk(one: Switch): void }

/** Networks in rows, environments and directions in columns. A wider switch that is off stops what is inside it. */
function Matrix({ all, nameOf, onAsk }: MatrixProps) {
  const say = switchesTexts.use()
  const freeze = all.find(({ environment }) => environment === null)
  const find = (of: (typeof columns)[number], network: Switch['network']) =>
    all.find((one) => one.environment === of.environment && one.subject === of.subject && one.network === network)
  const widerOff = (one: Switch): Switch | undefined =>
    all.find(
      (wider) =>
        wider.state === 'off' &&
        wider.name !== one.name &&
        wider.subject === one.subject &&
        wider.network === null &&
        (wider.environment === null || wider.environment === one.environment),
    )
  const title = ({ environment, subject }: (typeof columns)[number]): string =>
    `${say(`environment.${environment}`)} · ${say(`subject.${subject}`)}`
  const cell = (one: Switch | undefined) => one && <Cell one={one} stopper={widerOff(one)} nameOf={nameOf} onAsk={onAsk} />
  return (
    <ScrollBox label={say('title')}>
      <Table
        className={classes['matrix']}
        verticalSpacing="sm"
        withTableBorder
        withColumnBorders
        layout="fixed"
        aria-label={say('title')}
      >
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{say('network')}</Table.Th>
            {columns.map((of) => (
              <Table.Th key={title(of)} className={classes[of.environment]}>
                <Stack gap={4} align="start">
                  <EnvironmentBadge environment={of.environment} />
                  {say(`subject.${of.subject}`)}
                </Stack>
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          <Table.Tr>
            <Table.Th scope="row">
              {say('subject.payouts')} · {say('both')}
            </Table.Th>
            <Table.Td colSpan={columns.length} className={classes['live']}>
              {cell(freeze)}
            </Table.Td>
          </Table.Tr>
          {[null, ...networks].map((network) => (
            <Table.Tr key={network ?? 'every'}>
              <Table.Th scope="row">{network === null ? say('every') : say(`network.${network}`)}</Table.Th>
              {columns.map((of) => (
                <Table.Td
                  key={title(of)}
                  data-label={say(`subject.${of.subject}`)}
                  className={classes[of.environment]}
                  valign="top"
                >
                  {cell(find(of, network))}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollBox>
  )
}

type CellProps = { one: Switch; stopper: Switch | undefined; nameOf(one: Switch): string; onAsk(one: Switch): void }

function Cell({ one, stopper, nameOf, onAsk }: CellProps) {
  const say = switchesTexts.use()
  const { state, reason, changed_by, changed_at, environment } = one
  const action = say(state === 'on' ? 'turnOff' : 'turnOn')
  return (
    <Stack gap={6} className={classes['lines']}>
      {state === 'on' && stopper ? (
        <Badge color="yellow" leftSection={<IconAlertTriangle size={13} aria-hidden />}>
          {say('stopped')}
        </Badge>
      ) : (
        <Badge color={state === 'on' ? 'green' : 'red'} leftSection={<IconPower size={13} aria-hidden />}>
          {say(state)}
        </Badge>
      )}
      {/* On a phone there are no columns whose titles say it. */}
      <div className={classes['whose']}>{environment !== null && <EnvironmentBadge environment={environment} />}</div>
      {state === 'on' && stopper && <Text size="xs">{say('stoppedBy', { name: nameOf(stopper) })}</Text>}
      {changed_at !== null && (
        <Note size="xs">
          {reason} – {changed_by !== null && <Actor id={changed_by} />}, <Moment at={changed_at} ago />
        </Note>
      )}
      <Button size="xs" variant="default" aria-label={`${action}: ${nameOf(one)}`} onClick={() => onAsk(one)}>
        {action}
      </Button>
    </Stack>
  )
}
