/** An operator's decision on a case: verified, or rejected with reasons. The owner reads them exactly as shown here. */
import { Alert, Button, Checkbox, Group, Modal, Stack, Text, Textarea } from '@mantine/core'
import { IconCheck, IconX } from '../../ui/icons.ts'
import { useState } from 'react'
import { isRefusal } from '../../api/call.ts'
import type { RejectionReason } from '../../api/operations.ts'
import { useAction, useAnswer } from '../../api/queries.ts'
import { useLanguage } from '../../i18n/define-texts.ts'
import { notifyDone } from '../../ui/notify.ts'
import { problemText } from '../../ui/problem-text.ts'
import { shared } from '../../ui/texts.ts'
import classes from './decision.module.css'
import type { Case } from './read-case.ts'
import { reviewTexts } from './texts.ts'

type Code = RejectionReason['code']
type Verdict = { status: 'verified' | 'rejected'; reason?: string; reason_codes?: Code[]; version: number }

type Deciding = { decide(verdict: Verdict): Promise<boolean>; isBusy: boolean; error: unknown; reset(): void }

/** Returns true after success. If the case has changed meanwhile, nothing is decided and `onConflict` is called. */
function useDeciding({ id, kind }: Case, onConflict: () => void): Deciding {
  const person = useAction('POST /v1/admin/kyc/{user_id}/verify')
  const business = useAction('POST /v1/admin/businesses/{business_id}/verify')
  const { isPending, error, reset } = kind === 'person' ? person : business
  return {
    isBusy: isPending,
    error,
    reset,
    async decide(body) {
      try {
        if (kind === 'person') await person.mutateAsync({ params: { user_id: id }, body })
        else await business.mutateAsync({ params: { business_id: id }, body })
        return true
      } catch (problem) {
        if (isRefusal(problem, 'review_version_changed', 'invalid_state', 'business_already_verified')) onConflict()
        return false
      }
    },
  }
}

type Props = {
  decided: Case
  /** Documents that are not yet marked as checked. */
  unchecked: number
  onConflict(): void
}

export function Decision({ decided, unchecked, onConflict }: Props) {
  const say = reviewTexts.use()
  const { name, review, documents, self_review } = decided
  const [asked, setAsked] = useState<'approve' | 'reject'>()
  const { decide, isBusy, error, reset } = useDeciding(decided, () => {
    setAsked(undefined)
    onConflict()
  })
  const ask = (what: 'approve' | 'reject') => {
    reset()
    setAsked(what)
  }
  const send = async (verdict: Omit<Verdict, 'version'>): Promise<void> => {
    if (!(await decide({ ...verdict, version: review.version }))) return
    setAsked(undefined)
    notifyDone(say(verdict.status === 'verified' ? 'approvedDone' : 'rejectedDone', { name }))
  }
  if (self_review) return <Alert color="yellow">{say('ownCase')}</Alert>
  if (review.stage === 'draft') return <Alert color="gray">{say('notSubmitted')}</Alert>
  const isUnreadable = documents.some(({ unreadable }) => unreadable)
  const hindrance = isUnreadable ? say('unreadableFirst') : unchecked > 0 ? say('checkFirst', { count: unchecked }) : undefined
  return (
    <Stack gap="sm">
      <Group>
        <Button
          leftSection={<IconCheck size={16} aria-hidden />}
          disabled={hindrance !== undefined}
          aria-describedby={hindrance === undefined ? undefined : 'hindrance'}
          onClick={() => ask('approve')}
        >
          {say('approve')}
        </Button>
        <Button variant="default" leftSection={<IconX size={16} aria-hidden />} onClick={() => ask('reject')}>
          {say('reject')}
        </Button>
      </Group>
      {hindrance !== undefined && (
        <Text size="sm" c="dimmed" id="hindrance">
          {hindrance}
        </Text>
      )}
      <Modal opened={asked === 'approve'} onClose={() => setAsked(undefined)} title={say('approveTitle', { name })}>
        <form
          onSubmit={(event) => {
            event.preventDefault()
            void send({ status: 'verified' })
          }}
        >
          <Stack>
            <Text>{say(decided.kind === 'person' ? 'approvePerson' : 'approveBusiness')}</Text>
            <Problem error={error} />
            <Buttons action={say('approveNow')} isBusy={isBusy} onCancel={() => setAsked(undefined)} isFirst />
          </Stack>
        </form>
      </Modal>
      <Modal opened={asked === 'reject'} onClose={() => setAsked(undefined)} title={say('rejectTitle', { name })} size="lg">
        {asked === 'reject' && (
          <Rejection
            kind={decided.kind}
            isBusy={isBusy}
            error={error}
            onCancel={() => setAsked(undefined)}
            onSend={(body) => void send({ status: 'rejected', ...body })}
          />
        )}
      </Modal>
    </Stack>
  )
}

function Problem({ error }: { error: unknown }) {
  if (!error) return null
  return (
    <Alert color="red" role="alert">
      {problemText(error)}
    </Alert>
  )
}

type ButtonsProps = { action: string; isBusy: boolean; isOff?: boolean; isDanger?: boolean; isFirst?: boolean; onCancel(): void }

function Buttons({ action, isBusy, isOff = false, isDanger = false, isFirst = false, onCancel }: ButtonsProps) {
  const say = shared.use()
  return (
    <Group justify="end">
      <Button variant="default" onClick={onCancel}>
        {say('cancel')}
      </Button>
      <Button
        type="submit"
        loading={isBusy}
        disabled={isOff}
        {...(isDanger && { color: 'red' })}
        {...(isFirst && { 'data-autofocus': true })}
      >
        {action}
      </Button>
    </Group>
  )
}

type RejectionProps = {
  kind: Case['kind']
  isBusy: boolean
  error: unknown
  onCancel(): void
  onSend(body: { reason?: string; reason_codes?: Code[] }): void
}

function Rejection({ kind, isBusy, error, onCancel, onSend }: RejectionProps) {
  const say = reviewTexts.use()
  const language = useLanguage()
  const { data: catalogue, error: unread } = useAnswer('GET /v1/admin/rejection-reasons', {})
  const [codes, setCodes] = useState<Code[]>([])
  const [words, setWords] = useState('')
  const reasons = catalogue?.data.filter(({ kinds }) => kinds.includes(kind)) ?? []
  // In the order of the choices, as sent to the service.
  const chosen = codes.flatMap((code) => reasons.filter((reason) => reason.code === code))
  const reason = words.trim()
  const parts = [...chosen.map(({ sw, en }) => `${sw}\n${en}`), ...(reason === '' ? [] : [reason])]
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onSend({ ...(codes.length > 0 && { reason_codes: codes }), ...(reason !== '' && { reason }) })
      }}
    >
      <Stack>
        <Problem error={unread} />
        <Checkbox.Group label={say('reasons')} value={codes} onChange={(value) => setCodes(value as Code[])}>
          <Stack gap={8} mt={6}>
            {reasons.map(({ code, sw, en }) => (
              <Checkbox key={code} value={code} label={language === 'sw' ? sw : en} />
            ))}
          </Stack>
        </Checkbox.Group>
        <Textarea
          label={say('ownWords')}
          description={say('ownWordsHint')}
          rows={2}
          maxLength={1000}
          value={words}
          onChange={(event) => setWords(event.currentTarget.value)}
        />
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
        <Problem error={error} />
        <Buttons action={say('rejectNow')} isBusy={isBusy} isOff={parts.length === 0} isDanger onCancel={onCancel} />
      </Stack>
    </form>
  )
}
