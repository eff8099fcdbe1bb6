/** One break: the finding, the proposal, and the two operators who resolve it. */
import { Alert, Badge, Button, Code, Group, Paper, Radio, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Break, BreakEffect } from '../api/operations.ts'
import { useAction } from '../api/queries.ts'
import { Moment } from '../ui/moment.tsx'
import { notifyDone } from '../ui/notify.ts'
import { BreakAmounts, BreakEvidence } from './break-facts.tsx'
import { Moves, useEffects } from './break-moves.tsx'
import classes from './break-panel.module.css'
import { breakTexts } from './break-texts.ts'
import { EnvironmentBadge } from './environment-badge.tsx'
import { Facts } from './facts.tsx'
import { Actor, useMyId } from './me.tsx'
import { Form, Problem, useForm } from '../ui/form.tsx'
import { NamedPayment } from './named-payment.tsx'
import { providerName } from './provider-name.ts'

const colors = { open: 'yellow', proposed: 'blue', resolved: 'green' } as const

export function BreakBadge({ status }: { status: Break['status'] }) {
  const say = breakTexts.use()
  return <Badge color={colors[status]}>{say(status)}</Badge>
}

export function BreakPanel({ found }: { found: Break }) {
  const say = breakTexts.use()
  const effects = useEffects(found)
  const title = say(`breakKind.${found.kind}`)
  return (
    <Paper p="lg" component="section" aria-label={title}>
      <Stack>
        <Group gap="sm">
          <Text fw={600}>{title}</Text>
          <BreakBadge status={found.status} />
          <EnvironmentBadge environment={found.environment} />
        </Group>
        <Facts
          facts={[
            [say('opened'), <Moment key="opened" at={found.opened_at} />],
            [say('provider'), found.provider && providerName(found.provider)],
            [say('reference'), found.provider_reference],
            found.payment_reference !== null && [
              say('payment'),
              <NamedPayment key="payment" reference={found.payment_reference} />,
            ],
            found.payout_id !== null && [
              say('payout'),
              <Link key="payout" to="/payouts/$id" params={{ id: found.payout_id }}>
                {found.payout_id}
              </Link>,
            ],
            found.resolution !== null && [say('resolved'), say(`resolution.${found.resolution}`)],
          ]}
        />
        <BreakAmounts amounts={found.amounts} />
        <BreakEvidence found={found} />
        {found.resolved_by !== null && (
          <Text c="dimmed">
            {say('resolvedBy')} <Actor id={found.resolved_by} />
          </Text>
        )}
        {found.proposal && found.status !== 'resolved' && <Confirm found={found} proposal={found.proposal} effects={effects} />}
        {found.status !== 'resolved' && <Propose key={found.proposal?.proposed_at ?? 'first'} found={found} effects={effects} />}
      </Stack>
    </Paper>
  )
}

type Effects = readonly BreakEffect[] | undefined

type ConfirmProps = { found: Break; proposal: NonNullable<Break['proposal']>; effects: Effects }

function Confirm({ found, proposal, effects }: ConfirmProps) {
  const say = breakTexts.use()
  const me = useMyId()
  const confirm = useAction('POST /v1/admin/breaks/{break_id}/confirm')
  const what = say(`resolution.${proposal.resolution}`)
  const form = useForm({
    send: async () => {
      const body = { resolution: proposal.resolution, proposed_at: proposal.proposed_at }
      await confirm.mutateAsync({ params: { break_id: found.id }, body })
      // Said even if the screen already shows the resolved break, without this part.
      notifyDone(say('confirmedDone'))
    },
  })
  return (
    <Alert color="blue" title={what}>
      <Stack gap="sm" align="start">
        <Text>
          {say('proposedBy')} <Actor id={proposal.proposed_by} />, <Moment at={proposal.proposed_at} ago />
        </Text>
        <Text>{proposal.note}</Text>
        <Moves effect={effects?.find(({ resolution }) => resolution === proposal.resolution)} />
        {Object.values(proposal.parameters ?? {}).map((id) => (
          <Code key={id}>{id}</Code>
        ))}
        <Problem error={form.error} />
        {proposal.proposed_by === me ? (
          <Text>{say('yours')}</Text>
        ) : (
          <Button onClick={() => form.submit()} loading={form.isBusy}>
            {say('confirm', { what })}
          </Button>
        )}
      </Stack>
    </Alert>
  )
}

const payerOf = (id: string) => (id.startsWith('po_') ? { payout_id: id } : { merchant_id: id })

function Propose({ found, effects }: { found: Break; effects: Effects }) {
  const say = breakTexts.use()
  const propose = useAction('POST /v1/admin/breaks/{break_id}/propose')
  const [isOpen, setIsOpen] = useState(found.proposal === null)
  const form = useForm({
    fields: { resolution: undefined as Break['resolutions'][number] | undefined, note: '', paid: '', payer: '' },
    send: async () => {
      if (!resolution) return
      await propose.mutateAsync({
        params: { break_id: found.id },
        body: {
          resolution,
          note: note.trim(),
          ...(needsPayment && { parameters: { payment_reference: paid.trim() } }),
          ...(needsPayer && { parameters: payerOf(payer.trim()) }),
        },
      })
      notifyDone(say('proposedDone'))
    },
  })
  const { resolution, note, paid, payer } = form.values
  const needsPayment = resolution === 'credit_to_payment'
  const needsPayer = resolution === 'debit_wallet'
  const isNamed = !(needsPayment && paid.trim() === '') && !(needsPayer && payer.trim() === '')
  if (!isOpen) {
    return (
      <Group>
        <Button variant="default" onClick={() => setIsOpen(true)}>
          {say('proposeInstead')}
        </Button>
      </Group>
    )
  }
  return (
    <Form of={form} gap="sm">
      <Radio.Group
        label={say('resolve')}
        description={say('twoHands')}
        value={resolution ?? ''}
        onChange={(value) => form.change({ resolution: found.resolutions.find((one) => one === value) })}
      >
        <Stack gap="xs" mt={6}>
          {found.resolutions.map((one) => (
            <div key={one}>
              <Radio value={one} label={say(`resolution.${one}`)} />
              <div className={classes['moves']}>
                <Moves effect={effects?.find(({ resolution: of }) => of === one)} />
              </div>
            </div>
          ))}
        </Stack>
      </Radio.Group>
      {needsPayment && <TextInput label={say('paidPayment')} description={say('paidPaymentHint')} {...form.field('paid')} />}
      {needsPayer && <TextInput label={say('payer')} description={say('payerHint')} {...form.field('payer')} />}
      <Textarea label={say('evidenceNote')} description={say('evidenceHint')} rows={2} maxLength={500} {...form.field('note')} />
      <Group>
        <Button type="submit" loading={form.isBusy} disabled={resolution === undefined || note.trim() === '' || !isNamed}>
          {say('propose')}
        </Button>
      </Group>
    </Form>
  )
}
