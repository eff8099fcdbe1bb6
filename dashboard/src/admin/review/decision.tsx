/** An operator's decision on a case: verified, or rejected with reasons. The owner reads them exactly as shown here. */
import { Alert, Button, Checkbox, Group, Modal, Stack, Text, Textarea } from '@mantine/core'
import { IconCheck, IconX } from '../../ui/icons.ts'
import { useState } from 'react'
import { isRefusal } from '../../api/call.ts'
import type { RejectionReason } from '../../api/operations.ts'
import { useAction, useAnswer } from '../../api/queries.ts'
import { useLanguage } from '../../i18n/define-texts.ts'
import { notifyDone } from '../../ui/notify.ts'
import { DialogButtons } from '../../ui/dialog-buttons.tsx'
import { Form, Problem, useForm } from '../../ui/form.tsx'
import classes from './decision.module.css'
import { Problems, sentOf, useItemName, wordsOf, type Found } from './problems.tsx'
import type { Case } from './read-case.ts'
import { type Purpose } from '../operator-texts.ts'
import { reviewTexts } from './texts.ts'

type Code = RejectionReason['code']
type Reasons = { reason?: string; reason_codes?: Code[]; problems?: NonNullable<ReturnType<typeof sentOf>> }
type Verdict = { status: 'verified' | 'rejected'; version: number } & Reasons

/** If the case has changed meanwhile, nothing is decided and `onConflict` is called. */
function useDeciding({ id, kind }: Case, onConflict: () => void): (verdict: Verdict) => Promise<void> {
  const person = useAction('POST /v1/admin/kyc/{user_id}/verify')
  const business = useAction('POST /v1/admin/businesses/{business_id}/verify')
  return async (body) => {
    try {
      if (kind === 'person') await person.mutateAsync({ params: { user_id: id }, body })
      else await business.mutateAsync({ params: { business_id: id }, body })
    } catch (problem) {
      if (isRefusal(problem, 'review_version_changed', 'invalid_state', 'business_already_verified')) onConflict()
      throw problem
    }
  }
}

type Props = {
  decided: Case
  /** Documents that are not yet marked as checked. */
  unchecked: number
  /** Purposes of the documents that the reviewer must open first. */
  unopened: readonly string[]
  onConflict(): void
}

export function Decision({ decided, unchecked, unopened, onConflict }: Props) {
  const say = reviewTexts.use()
  const { name, review, documents, self_review } = decided
  const [asked, setAsked] = useState<'approve' | 'reject'>()
  const decide = useDeciding(decided, () => {
    setAsked(undefined)
    onConflict()
  })
  const send = async (verdict: Omit<Verdict, 'version'>): Promise<void> => {
    await decide({ ...verdict, version: review.version })
    setAsked(undefined)
    notifyDone(say(verdict.status === 'verified' ? 'approvedDone' : 'rejectedDone', { name }))
  }
  if (self_review) return <Alert color="yellow">{say('ownCase')}</Alert>
  if (review.stage === 'draft') return <Alert color="gray">{say('notSubmitted')}</Alert>
  const isUnreadable = documents.some(({ unreadable }) => unreadable)
  const names = unopened.map((purpose) => say(`purpose.${purpose as Purpose}`)).join(', ')
  const isUnopened = unopened.length > 0
  const hindrance = isUnopened
    ? say('openFirst', { names })
    : isUnreadable
      ? say('unreadableFirst')
      : unchecked > 0
        ? say('checkFirst', { count: unchecked })
        : undefined
  return (
    <Stack gap="sm">
      <Group>
        <Button
          leftSection={<IconCheck size={16} aria-hidden />}
          disabled={hindrance !== undefined}
          aria-describedby={hindrance === undefined ? undefined : 'hindrance'}
          onClick={() => setAsked('approve')}
        >
          {say('approve')}
        </Button>
        <Button
          variant="default"
          leftSection={<IconX size={16} aria-hidden />}
          disabled={isUnopened}
          aria-describedby={isUnopened ? 'hindrance' : undefined}
          onClick={() => setAsked('reject')}
        >
          {say('reject')}
        </Button>
      </Group>
      {hindrance !== undefined && (
        <Text size="sm" c="dimmed" id="hindrance">
          {hindrance}
        </Text>
      )}
      <Modal opened={asked === 'approve'} onClose={() => setAsked(undefined)} title={say('approveTitle', { name })}>
        {asked === 'approve' && (
          <Approval kind={decided.kind} onCancel={() => setAsked(undefined)} onSend={() => send({ status: 'verified' })} />
        )}
      </Modal>
      <Modal opened={asked === 'reject'} onClose={() => setAsked(undefined)} title={say('rejectTitle', { name })} size="lg">
        {asked === 'reject' && (
          <Rejection
            decided={decided}
            onCancel={() => setAsked(undefined)}
            onSend={(body) => send({ status: 'rejected', ...body })}
          />
        )}
      </Modal>
    </Stack>
  )
}

type ApprovalProps = { kind: Case['kind']; onCancel(): void; onSend(): Promise<void> }

function Approval({ kind, onCancel, onSend }: ApprovalProps) {
  const say = reviewTexts.use()
  const form = useForm({ send: onSend })
  return (
    <Form of={form}>
      <Text>{say(kind === 'person' ? 'approvePerson' : 'approveBusiness')}</Text>
      <DialogButtons of={form} onCancel={onCancel} action={say('approveNow')} isFirst />
    </Form>
  )
}

type RejectionProps = { decided: Case; onCancel(): void; onSend(reasons: Reasons): Promise<void> }

function Rejection({ decided, onCancel, onSend }: RejectionProps) {
  const { kind } = decided
  const nameOf = useItemName()
  const [found, setFound] = useState<Found[]>([])
  const say = reviewTexts.use()
  const language = useLanguage()
  const { data: catalogue, error: unread } = useAnswer('GET /v1/admin/rejection-reasons', {})
  const [codes, setCodes] = useState<Code[]>([])
  const reasons = catalogue?.data.filter(({ kinds }) => kinds.includes(kind)) ?? []
  // In the order of the choices, as sent to the service.
  const chosen = codes.flatMap((code) => reasons.filter((reason) => reason.code === code))
  const problems = sentOf(found)
  const form = useForm({
    fields: { words: '' },
    send: ({ words }) =>
      onSend({
        ...(codes.length > 0 && { reason_codes: codes }),
        ...(words.trim() !== '' && { reason: words.trim() }),
        ...(problems && problems.length > 0 && { problems }),
      }),
  })
  const reason = form.values.words.trim()
  const parts = [
    ...chosen.map(({ sw, en }) => `${sw}\n${en}`),
    ...(reason === '' ? [] : [reason]),
    ...found.map((one) => `${nameOf(one.item)}:\n${wordsOf(one, reasons)}`),
  ]
  return (
    <Form of={form}>
      <Problem error={unread} />
      <Problems decided={decided} reasons={reasons} found={found} onChange={setFound} />
      <Checkbox.Group label={say('reasons')} value={codes} onChange={(value) => setCodes(value as Code[])}>
        <Stack gap={8} mt={6}>
          {reasons.map(({ code, sw, en }) => (
            <Checkbox key={code} value={code} label={language === 'sw' ? sw : en} />
          ))}
        </Stack>
      </Checkbox.Group>
      <Textarea label={say('ownWords')} description={say('ownWordsHint')} rows={2} maxLength={1000} {...form.field('words')} />
      <section aria-label={say('preview')} className={classes['preview']}>
        <Text size="sm" fw={600}>
          {say('preview')}
        </Text>
        {parts.length === 0 ? (
          <Text c="dimmed">{say('previewEmpty')}</Text>
        ) : (
          <Text className={classes['words']}>{parts.join('\n\n')}</Text>
        )}
      </section>
      <DialogButtons of={form} onCancel={onCancel} action={say('rejectNow')} isOff={parts.length === 0 || !problems} isDanger />
    </Form>
  )
}
