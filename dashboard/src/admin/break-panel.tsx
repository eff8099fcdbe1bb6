/** One break: the finding, the proposal, and the two operators who resolve it. */
import { Alert, Badge, Button, Code, Group, Paper, Radio, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Break } from '../api/operations.ts'
import { useAction } from '../api/queries.ts'
import { defineTexts } from '../i18n/define-texts.ts'
import { Moment } from '../ui/moment.tsx'
import { Money } from '../ui/money.tsx'
import { notifyDone } from '../ui/notify.ts'
import { EnvironmentBadge } from './environment-badge.tsx'
import { Facts } from './facts.tsx'
import { useActorName, useMyId } from './me.ts'
import { operatorTexts } from './operator-texts.ts'
import { ScrollBox } from './scroll-box.tsx'
import { Form, Problem, useForm } from '../ui/form.tsx'

const texts = defineTexts('admin-break', [operatorTexts], {
  open: ['Open', 'Wazi'],
  proposed: ['Proposed', 'Imependekezwa'],
  resolved: ['Resolved', 'Imetatuliwa'],
  opened: ['Opened', 'Ilifunguliwa'],
  evidence: ['Known facts', 'Kinachojulikana'],
  ordered: ['Ordered', 'Kilichoagizwa'],
  message: ['The message says', 'Ujumbe unasema'],
  answer: ['The provider answers', 'Mtoa huduma anajibu'],
  noAnswer: ['No answer yet', 'Hajajibu bado'],
  booked: ['Booked', 'Kilichowekwa vitabuni'],
  difference: ['Difference from the order', 'Tofauti na kilichoagizwa'],
  resolve: ['Resolution', 'Itatuliwe vipi'],
  evidenceNote: ['Evidence', 'Ushahidi'],
  evidenceHint: [
    'The provider’s letter, statement or ticket. All operators can read it in the audit log.',
    'Barua ya mtoa huduma, taarifa yake, tiketi yake. Kila mmoja ataisoma kwenye kumbukumbu.',
  ],
  propose: ['Propose', 'Pendekeza'],
  proposeInstead: ['Propose another resolution', 'Pendekeza kingine'],
  twoHands: ['No money moves until another operator confirms it.', 'Hakuna kinachosogea mpaka msimamizi mwingine athibitishe.'],
  proposedBy: ['Proposed by {{name}}', 'Imependekezwa na {{name}}'],
  confirm: ['Confirm: {{what}}', 'Thibitisha: {{what}}'],
  yours: ['Another operator must confirm your proposal.', 'Msimamizi mwingine athibitishe ulichopendekeza.'],
  proposedDone: ['Proposed. Another operator must confirm it.', 'Imependekezwa. Msimamizi mwingine atathibitisha.'],
  confirmedDone: ['Resolved.', 'Imetatuliwa.'],
  resolvedBy: ['Resolved by {{name}}', 'Imetatuliwa na {{name}}'],
  reference: ['Provider reference', 'Namba kwa mtoa huduma'],
  paidPayment: ['Paid payment', 'Malipo yaliyolipwa'],
  paidPaymentHint: ['Its reference: pay_…', 'Kumbukumbu yake: pay_…'],
  payer: ['Wallet to debit', 'Pochi ya nani inalipa'],
  payerHint: ['The payout (po_…) or the merchant (biz_…, usr_…).', 'Malipo (po_…) au mfanyabiashara (biz_…, usr_…).'],
})

const colors = { open: 'yellow', proposed: 'blue', resolved: 'green' } as const

export function BreakBadge({ status }: { status: Break['status'] }) {
  const say = texts.use()
  return <Badge color={colors[status]}>{say(status)}</Badge>
}

export function BreakPanel({ found }: { found: Break }) {
  const say = texts.use()
  const nameOf = useActorName()
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
            [say('provider'), found.provider],
            [say('reference'), found.provider_reference],
            found.payment_reference !== null && [
              say('payment'),
              <Link key="payment" to="/payments/$reference" params={{ reference: found.payment_reference }}>
                {found.payment_reference}
              </Link>,
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
        {'booked' in found.evidence && <Amounts evidence={found.evidence} />}
        <div>
          <Text size="sm" fw={600}>
            {say('evidence')}
          </Text>
          <ScrollBox label={say('evidence')}>
            <Code block>{JSON.stringify(found.evidence, null, 2)}</Code>
          </ScrollBox>
        </div>
        {found.resolved_by !== null && <Text c="dimmed">{say('resolvedBy', { name: nameOf(found.resolved_by) })}</Text>}
        {found.proposal && found.status !== 'resolved' && <Confirm found={found} proposal={found.proposal} />}
        {found.status !== 'resolved' && <Propose key={found.proposal?.proposed_at ?? 'first'} found={found} />}
      </Stack>
    </Paper>
  )
}

/** The order, the message, the provider's own answer and our books side by side. */
function Amounts({ evidence }: { evidence: Break['evidence'] }) {
  const say = texts.use()
  const shown = (amount: unknown, currency: unknown = 'TZS') => {
    if (typeof amount !== 'number') return null
    return typeof currency === 'string' && currency !== 'TZS' ? `${currency} ${amount}` : <Money amount={amount} />
  }
  const { ordered, our_amount, message_amount, message_currency, amount, currency, booked, difference } = evidence
  return (
    <Facts
      facts={[
        [say('ordered'), shown(ordered ?? our_amount)],
        [say('message'), shown(message_amount, message_currency)],
        [say('answer'), shown(amount, currency) ?? say('noAnswer')],
        [say('booked'), shown(booked)],
        [say('difference'), shown(difference)],
      ]}
    />
  )
}

function Confirm({ found, proposal }: { found: Break; proposal: NonNullable<Break['proposal']> }) {
  const say = texts.use()
  const nameOf = useActorName()
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
    <Alert color="blue" title={`${say('proposedBy', { name: nameOf(proposal.proposed_by) })}: ${what}`}>
      <Stack gap="sm" align="start">
        <Text>{proposal.note}</Text>
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

function Propose({ found }: { found: Break }) {
  const say = texts.use()
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
        <Stack gap={6} mt={6}>
          {found.resolutions.map((one) => (
            <Radio key={one} value={one} label={say(`resolution.${one}`)} />
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
