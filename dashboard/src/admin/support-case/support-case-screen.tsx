/** One support case: what the payer says, what the provider answered, and the decision. */
import { phoneText } from '../../ui/format.ts'
import { Alert, Badge, Button, Group, Paper, Radio, Stack, Text, Textarea } from '@mantine/core'
import { Link, useParams } from '@tanstack/react-router'
import type { WholeSupportCase } from '../../api/operations.ts'
import { useAction, useAnswer } from '../../api/queries.ts'
import { Form, useForm } from '../../ui/form.tsx'
import { Moment } from '../../ui/moment.tsx'
import { Money } from '../../ui/money.tsx'
import { notifyDone } from '../../ui/notify.ts'
import { Screen, Section } from '../../ui/screen.tsx'
import { EnvironmentBadge } from '../environment-badge.tsx'
import { Facts } from '../facts.tsx'
import { Actor } from '../me.tsx'
import { NamedPayment } from '../named-payment.tsx'
import { useProviderStatus } from '../provider-status.ts'
import { caseTexts } from '../support-cases/texts.ts'
import { UnreadScreen } from '../../ui/unread.tsx'
import { providerName } from '../provider-name.ts'

const decisions = ['received', 'no_money', 'other'] as const

export default function SupportCaseScreen() {
  const say = caseTexts.use()
  const { id } = useParams({ from: '/signed-in/support-cases/$id' })
  const {
    data: answer,
    error,
    refetch,
  } = useAnswer('GET /v1/admin/support-cases/{case_id}', { params: { case_id: id } }, { isLive: true })
  if (!answer) return <UnreadScreen title={say('one')} of={{ error, refetch }} placeholder={320} />
  const found = answer.data
  return (
    <Screen title={say('one')} text={found.id}>
      <State found={found} />
      <Section title={say('claim')}>
        <Claim found={found} />
      </Section>
      <Section title={say('answers')}>
        <Answers found={found} />
      </Section>
      {found.state === 'with_operators' && (
        <Section title={say('decide')}>
          <Decide id={found.id} />
        </Section>
      )}
    </Screen>
  )
}

type Part = { found: WholeSupportCase }

function State({ found }: Part) {
  const say = caseTexts.use()
  return (
    <Paper p="lg" component="section" aria-label={say('one')}>
      <Stack>
        <Group gap="sm">
          <Badge color={found.state === 'with_operators' ? 'yellow' : 'green'}>{say(`state.${found.state}`)}</Badge>
          <EnvironmentBadge environment={found.environment} />
        </Group>
        {found.number_owner !== null && (
          <Alert color="yellow">
            {say('belongs', { reference: found.number_owner })}{' '}
            <Link to="/payments/$reference" params={{ reference: found.number_owner }}>
              {say('payment')}
            </Link>
          </Alert>
        )}
        <Facts
          facts={[
            [say('opened'), <Moment key="opened" at={found.created_at} />],
            [say('payment'), <NamedPayment key="payment" reference={found.payment_reference} />],
            [say('number'), found.sms_number],
            [say('finding'), say(`findings.${found.finding ?? 'none'}`)],
            [say('because'), found.escalated_because && say(`reason.${found.escalated_because}`)],
          ]}
        />
        {found.decision !== null && found.decided_by !== null && (
          <>
            <Facts
              facts={[
                [say('decided'), say(`decision.${found.decision}`)],
                [say('note'), found.decision_note],
                [say('message'), found.decision_message],
              ]}
            />
            <Text c="dimmed">
              {say('by')} <Actor id={found.decided_by} />
            </Text>
          </>
        )}
      </Stack>
    </Paper>
  )
}

function Claim({ found: { claim } }: Part) {
  const say = caseTexts.use()
  return (
    <Facts
      facts={[
        [say('amount'), claim.amount === null ? null : <Money key="amount" amount={claim.amount} />],
        [say('phone'), claim.phone && phoneText(claim.phone)],
        [say('time'), claim.time],
        [say('words'), claim.words],
        [say('mail'), say(claim.has_email ? 'yes' : 'no')],
      ]}
    />
  )
}

function Answers({ found: { answers } }: Part) {
  const say = caseTexts.use()
  const statusOf = useProviderStatus()
  if (answers.length === 0) return <Text>{say('none')}</Text>
  return (
    <Stack gap="xs">
      {answers.map((one) => (
        <Text key={one.at}>
          <Moment at={one.at} />: {providerName(one.provider)}, {say(`answer.${one.answer}`)}
          {one.provider_status !== null && ` (${statusOf(one.provider_status)})`}
          {[one.reason, one.provider_reference, one.network_receipt].filter(Boolean).map((part) => (
            <span key={part} className="code">
              {' '}
              {part}
            </span>
          ))}
          {one.amount !== null && (
            <>
              {' '}
              <Money amount={one.amount} />
            </>
          )}
        </Text>
      ))}
    </Stack>
  )
}

function Decide({ id }: { id: string }) {
  const say = caseTexts.use()
  const close = useAction('POST /v1/admin/support-cases/{case_id}/close')
  const form = useForm({
    fields: { decision: undefined as (typeof decisions)[number] | undefined, note: '', message: '' },
    send: async ({ decision, note, message }) => {
      if (!decision) return
      await close.mutateAsync({ params: { case_id: id }, body: { decision, note: note.trim(), message: message.trim() || null } })
      // Said even if the screen already shows the closed case, without this form.
      notifyDone(say('done'))
    },
  })
  const { decision, note, message } = form.values
  const needsMessage = decision === 'other' && message.trim() === ''
  return (
    <Form of={form} gap="sm">
      <Radio.Group
        label={say('decided')}
        value={decision ?? ''}
        onChange={(value) => form.change({ decision: decisions.find((one) => one === value) })}
      >
        <Stack gap={6} mt={6}>
          {decisions.map((one) => (
            <Radio key={one} value={one} label={say(`decision.${one}`)} />
          ))}
        </Stack>
      </Radio.Group>
      <Textarea label={say('note')} description={say('noteHint')} rows={2} maxLength={500} {...form.field('note')} />
      <Textarea label={say('message')} description={say('messageHint')} rows={3} maxLength={1000} {...form.field('message')} />
      <Group>
        <Button type="submit" loading={form.isBusy} disabled={decision === undefined || note.trim() === '' || needsMessage}>
          {say('close')}
        </Button>
      </Group>
    </Form>
  )
}
