/** Sends money from a wallet: recipient and amount, a check in figures and words, then a step-up. */
import { BackLink, LinkButton, TextLink } from '../links.tsx'
import { Alert, Button, Group, Paper, Skeleton, Text, TextInput, Title } from '@mantine/core'
import { useDebouncedValue, useDisclosure } from '@mantine/hooks'
import { IconAlertTriangle, IconFlask2, IconUser } from '../../ui/icons.ts'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { useAction, useAnswer } from '../../api/queries.ts'
import type { PayoutFee, Recipient } from '../../api/operations.ts'
import { useLanguage } from '../../i18n/define-texts.ts'
import { AmountInput } from '../../ui/amount-input.tsx'
import { amountInWords } from '../../ui/amount-words.ts'
import { doubtText } from '../../ui/doubt-text.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { Facts } from '../../ui/facts.tsx'
import { useDraft, type Draft } from '../../ui/draft.ts'
import type { Kept } from '../../ui/fields.ts'
import { Form, Problem, useForm, type FormState, type Problems } from '../../ui/form.tsx'
import { agoText, money, phoneText } from '../../ui/format.ts'
import { useNow } from '../../ui/moment.tsx'
import { Money } from '../../ui/money.tsx'
import { fieldProblems, problemText } from '../../ui/problem-text.ts'
import { useKeysOff } from '../../ui/keys.ts'
import { Screen } from '../../ui/screen.tsx'
import { optional } from '../../ui/texts.ts'
import { useAccount } from '../account.ts'
import { useCan } from '../membership.ts'
import { Barred, useMay } from '../barred.tsx'
import classes from './new-payout.module.css'
import { newPayoutTexts } from './texts.ts'
import { Unread } from '../../ui/unread.tsx'
import { Unbroken } from '../../ui/unbroken.tsx'

const ChooseRecipient = lazy(() => import('./choose-recipient.tsx'))

const nothing = {
  amount: undefined as number | undefined,
  phone_number: '',
  recipient_name: '',
  narration: '',
  reference: '',
  /** The saved recipient that the address named, when its name and number were filled in. */
  to: undefined as string | undefined,
  key: undefined as string | undefined,
}
type Wanted = typeof nothing

type Double = NonNullable<PayoutFee['duplicate_of']>

const ofRecipient = ({ name, phone_number }: Recipient) => ({ recipient_name: name, phone_number })

export default function NewPayoutScreen() {
  const say = newPayoutTexts.use()
  const { owner, environment } = useAccount()
  const may = useMay('payouts')
  const me = useAnswer('GET /v1/me', {}).data?.data
  return (
    <Screen title={say('title')} back={<BackLink to="./payouts">{say('back')}</BackLink>}>
      {may === undefined && <Skeleton h={320} />}
      <Barred what="payouts" />
      {/* In another wallet it would be another payout: the form starts empty. */}
      {may && me && <Steps key={`${owner} ${environment}`} draftKey={`payout ${me.id} ${owner} ${environment}`} />}
    </Screen>
  )
}

/** The recipient that the address names, once; what was typed for another one is left behind. Not while a payout has no known end. */
function useSavedRecipient({ value, change, clear }: Draft<Wanted>): void {
  const { query } = useAccount()
  const { to } = useSearch({ from: '/signed-in/$owner/$environment/payouts/new' })
  const isWanted = to !== undefined && to !== value.to && value.key === undefined
  const found = useAnswer('GET /v1/merchant/recipients/{id}', { params: { id: to ?? '' }, query }, { isWanted }).data?.data
  useEffect(() => {
    if (!isWanted || found?.id !== to) return
    clear()
    change({ ...ofRecipient(found), to })
  }, [isWanted, found, to, clear, change])
}

/** An older answer is shown while it is read again: it may not know what was just paid. */
function isReadAgain({ isFetching, isFetchedAfterMount }: { isFetching: boolean; isFetchedAfterMount: boolean }): boolean {
  return isFetching && !isFetchedAfterMount
}

/** The draft keeps what was typed and the idempotency key until an end is known, so that a repeated request pays once. */
function Steps({ draftKey }: { draftKey: string }) {
  const { owner, environment, query } = useAccount()
  const navigate = useNavigate()
  const draft = useDraft(draftKey, nothing, { survivesReload: true })
  const { key, to: _, ...wanted } = draft.value
  useSavedRecipient(draft)
  // Sent before, without an end that is known.
  const [isChecking, setIsChecking] = useState(key !== undefined)
  const payout = useAction('POST /v1/merchant/payouts')
  const [{ amount, phone_number: phone }] = useDebouncedValue(wanted, 250)
  // The warnings are asked for when everything is typed.
  const reference = wanted.reference.trim() === '' ? {} : { reference: wanted.reference.trim() }
  const named = isChecking ? { recipient_name: wanted.recipient_name.trim(), ...reference } : {}
  const recipient = hasAllDigits(phone) ? { phone_number: phone, ...named } : {}
  const fee = useAnswer(
    'GET /v1/merchant/payouts/fee',
    { query: { ...query, amount: amount ?? 0, ...recipient } },
    { isWanted: amount !== undefined },
  )
  const isCurrent = wanted.amount === amount && wanted.phone_number === phone && !fee.isPlaceholderData && !isReadAgain(fee)
  const ofAmount = fee.data?.data.amount === wanted.amount ? fee.data?.data : undefined
  const quoted = isCurrent ? ofAmount : undefined

  const send = async (idempotencyKey: string): Promise<void> => {
    const body = {
      ...wanted,
      amount: wanted.amount!,
      narration: wanted.narration.trim() || null,
      reference: wanted.reference.trim() || null,
    }
    try {
      const { data } = await payout.mutateAsync({ query, body, idempotencyKey })
      draft.clear()
      await navigate({
        to: '/$owner/$environment/payouts/$payoutId',
        params: { owner, environment, payoutId: data.id },
        replace: true,
      })
    } catch (error) {
      // An error of a field is shown at the field.
      setIsChecking(Object.keys(fieldProblems(error)).length === 0)
      throw error
    }
  }
  const pay = useForm({ keptKey: draft, send: (_, idempotencyKey) => send(idempotencyKey) })
  useKeysOff(draft.isChanged)

  if (isChecking) {
    return (
      <Check
        wanted={wanted}
        fee={quoted}
        feeError={fee.error}
        onFeeRetry={fee.refetch}
        of={pay}
        isOpen={key !== undefined && !pay.isBusy}
        onChange={() => {
          pay.reset()
          setIsChecking(false)
        }}
        onStartAgain={() => {
          draft.clear()
          pay.reset()
          setIsChecking(false)
        }}
      />
    )
  }
  return (
    <Fill
      kept={draft}
      // The last cost of this amount stays while the number is typed.
      fee={ofAmount}
      feeError={isCurrent ? fee.error : null}
      onFeeRetry={fee.refetch}
      refused={pay.problems}
      onCheck={() => {
        // The refusal of the last try is corrected.
        pay.reset()
        setIsChecking(true)
      }}
    />
  )
}

type FillProps = {
  kept: Kept<Wanted>
  fee: PayoutFee | undefined
  feeError: unknown
  onFeeRetry(): unknown
  /** The API's refusal of the payout. */
  refused: Problems
  onCheck(): void
}

function Fill({ kept, fee, feeError, onFeeRetry, refused, onCheck }: FillProps) {
  const say = newPayoutTexts.use()
  const { query, environment } = useAccount()
  const balance = useAnswer('GET /v1/merchant/balance', { query }, { isLive: true }).data?.data
  const [isChoosing, { open: openList, close: closeList }] = useDisclosure()
  const isShort = fee !== undefined && balance !== undefined && fee.total_debited > balance.available
  const unquoted = isRefused(feeError) ? fieldProblems(feeError) : {}
  // Some fees depend on the recipient, whose number may not have been entered yet.
  const isAboutPhone = unquoted['phone_number'] !== undefined
  const phoneProblem = hasAllDigits(kept.value.phone_number) ? unquoted['phone_number'] : undefined
  // A missing quote does not block the form; an impossible amount does.
  const amountProblem = isShort
    ? say('notEnough')
    : isRefused(feeError) && !isAboutPhone
      ? (unquoted['amount'] ?? problemText(feeError))
      : undefined
  const form = useForm({
    first: refused,
    kept,
    required: ['amount', 'phone_number', 'recipient_name'],
    check: (): Problems => (amountProblem === undefined ? {} : { amount: amountProblem }),
    send: async () => onCheck(),
  })
  const { problems } = form
  return (
    <Paper p="lg" maw={560}>
      <Form of={form}>
        {/* Before the amount, where the focus begins: a person who uses the keyboard passes from field to field. */}
        <Button
          variant="default"
          className={classes['choose']!}
          leftSection={<IconUser size={16} aria-hidden />}
          onClick={openList}
        >
          {say('choose')}
        </Button>
        {balance && <Text c="dimmed">{say('available', { amount: money(balance.available) })}</Text>}
        <AmountInput
          label={say('amount')}
          description={say('amountHint')}
          autoFocus
          {...form.control('amount')}
          error={amountProblem ?? problems['amount']}
        />
        <TextInput
          label={say('phone')}
          description={<Unbroken text={say('phoneHint')} />}
          inputMode="tel"
          autoComplete="off"
          maxLength={40}
          {...form.field('phone_number')}
          error={problems['phone_number'] ?? phoneProblem}
        />
        <TextInput
          label={say('name')}
          description={say('nameHint')}
          autoComplete="off"
          maxLength={120}
          {...form.field('recipient_name')}
        />
        <TextInput
          label={optional(say('narration'))}
          description={say('narrationHint')}
          autoComplete="off"
          maxLength={140}
          {...form.field('narration')}
        />
        <TextInput label={optional(say('reference'))} autoComplete="off" maxLength={100} {...form.field('reference')} />
        {fee && <Costs fee={fee} />}
        {Boolean(feeError) && !isAboutPhone && amountProblem === undefined && (
          <ErrorState error={feeError} onRetry={onFeeRetry} />
        )}
        {environment === 'test' && (
          <Alert color="yellow" icon={<IconFlask2 aria-hidden />}>
            {say('testHint')}
          </Alert>
        )}
        <Button type="submit" size="md">
          {say('check')}
        </Button>
      </Form>
      <Suspense>
        <ChooseRecipient isOpen={isChoosing} onClose={closeList} onChoose={(chosen) => kept.change(ofRecipient(chosen))} />
      </Suspense>
    </Paper>
  )
}

/** Whether the number may be complete: a number that is still being typed has no fee. */
function hasAllDigits(phone: string): boolean {
  return phone.replaceAll(/\D/g, '').length >= 9
}

function isRefused(error: unknown): boolean {
  return error instanceof ApiError && error.status >= 400 && error.status < 500
}

function Costs({ fee }: { fee: PayoutFee }) {
  const say = newPayoutTexts.use()
  return (
    <Facts
      facts={[
        [say('fee'), <Money key="fee" amount={fee.fee} />],
        [say('total'), <Money key="total" amount={fee.total_debited} />],
      ]}
    />
  )
}

type CheckProps = {
  wanted: Omit<Wanted, 'to' | 'key'>
  fee: PayoutFee | undefined
  feeError: unknown
  onFeeRetry(): unknown
  of: FormState
  /** It was sent, and its end is not known. */
  isOpen: boolean
  onChange(): void
  onStartAgain(): void
}

function Check({ wanted, fee, feeError, onFeeRetry, of, isOpen, onChange, onStartAgain }: CheckProps) {
  const say = newPayoutTexts.use()
  const heading = useRef<HTMLHeadingElement>(null)
  // Screen readers announce the new step.
  useEffect(() => heading.current?.focus(), [])
  const amount = wanted.amount!
  const words = amountInWords(amount)
  const [refusedFee] = Object.values(fieldProblems(feeError))
  // Once it is sent, it is itself the one that was paid.
  const isAgain = !isOpen && !of.isBusy && Boolean(fee?.duplicate_of)
  const waits = useIsAboveRule(amount)
  return (
    <Paper p="lg" maw={560}>
      <Form of={isOpen ? { ...of, refusal: undefined } : of}>
        <div>
          <Title order={2} tabIndex={-1} ref={heading} className={classes['heading']!}>
            {say('checkTitle')}
          </Title>
          <Text c="dimmed">{say(waits ? 'askText' : 'checkText')}</Text>
        </div>
        <div className={classes['amount']}>
          <Text fz={32} fw={650} lh={1.3}>
            <Money amount={amount} />
          </Text>
          <Text lang="sw">{words.sw}</Text>
          <Text lang="en" c="dimmed">
            {words.en}
          </Text>
        </div>
        <Facts
          facts={[
            [say('to'), <To key="to" {...wanted} />],
            fee && fee.network !== null && [say('network'), say(`network.${fee.network}`)],
            wanted.narration.trim() !== '' && [say('narration'), wanted.narration],
            wanted.reference.trim() !== '' && [say('reference'), wanted.reference],
          ]}
        />
        {fee && <OtherName fee={fee} name={wanted.recipient_name} />}
        {isAgain && <PaidBefore of={fee!.duplicate_of!} {...wanted} amount={amount} />}
        {fee && <Costs fee={fee} />}
        {!fee && refusedFee && <Problem error={feeError} text={refusedFee} />}
        {!fee && !refusedFee && <Unread of={{ error: feeError, refetch: onFeeRetry }} placeholder={54} />}
        <Problem
          error={isOpen ? (of.error ?? true) : undefined}
          title={say('unsure')}
          text={doubtText(say('unsureText'), of.error)}
          isDoubt
        />
        <Group justify="space-between">
          {isOpen ? (
            <Group gap="sm">
              <LinkButton variant="default" to="./payouts">
                {say('toList')}
              </LinkButton>
              <Button variant="subtle" onClick={onStartAgain}>
                {say('startAgain')}
              </Button>
            </Group>
          ) : (
            <Button variant="default" onClick={onChange} disabled={of.isBusy}>
              {say('change')}
            </Button>
          )}
          {/* The cost is always shown before the payment. */}
          <Button type="submit" size="md" loading={of.isBusy} disabled={fee === undefined && !isOpen}>
            {isOpen ? say('askAgain') : say(isAgain ? 'payAgain' : waits ? 'ask' : 'pay', { amount: money(amount) })}
          </Button>
        </Group>
      </Form>
    </Paper>
  )
}

/** Whether the approval rule of a business holds back this amount alone; the API also adds up the day. */
function useIsAboveRule(amount: number): boolean {
  const { owner, query } = useAccount()
  const can = useCan()
  const isWanted = owner !== 'me' && can('rules.read') === true
  const rule = useAnswer('GET /v1/merchant/approval-rule', { query }, { isWanted }).data?.data
  return rule?.rule !== undefined && rule.rule !== null && amount > rule.rule.above
}

/** The number was last paid under another name: a wrong digit would pay someone else. */
function OtherName({ fee: { warnings, last_paid_name: last }, name }: { fee: PayoutFee; name: string }) {
  const say = newPayoutTexts.use()
  if (!warnings.some(({ code }) => code === 'recipient_name_differs')) return undefined
  return (
    <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} role="alert" title={say('otherName')}>
      {last === null ? say('otherNameText', { name }) : say('otherNameOf', { name, last })}
    </Alert>
  )
}

/** It was typed before: what was paid twice by mistake rarely comes back. */
function PaidBefore({ of, amount, phone_number: phone }: Pick<Wanted, 'phone_number'> & { of: Double; amount: number }) {
  const say = newPayoutTexts.use()
  const language = useLanguage()
  const when = agoText(of.created_at, language, useNow())
  return (
    <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} role="alert" title={say('again')}>
      {say('againText', { phone: phoneText(phone), amount: money(amount, language), when })}{' '}
      <TextLink to="./payouts/$payoutId" params={{ payoutId: of.id }}>
        {say('seeFirst')}
      </TextLink>
    </Alert>
  )
}

function To({ recipient_name: name, phone_number: phone }: Pick<Wanted, 'recipient_name' | 'phone_number'>) {
  return (
    <>
      <Text fw={600}>{name}</Text>
      <Text className="figures">{phoneText(phone)}</Text>
    </>
  )
}
