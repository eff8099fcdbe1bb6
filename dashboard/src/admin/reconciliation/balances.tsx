/** The balance at each provider beside our books, and the movements that operators record: money that no charge or payout moved. */
import { Badge, Button, Modal, NativeSelect, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { OperationsOverview, ProviderBalance, ProviderMovement } from '../../api/operations.ts'
import { useAction, useAnswer } from '../../api/queries.ts'
import { AmountInput } from '../../ui/amount-input.tsx'
import { amountColumn, headingColumn, momentColumn, moneyColumn, oppositeColumn } from '../../ui/columns.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { DialogButtons } from '../../ui/dialog-buttons.tsx'
import { Form, useForm } from '../../ui/form.tsx'
import { IconScale } from '../../ui/icons.ts'
import { ListSection } from '../../ui/list-screen.tsx'
import { Money } from '../../ui/money.tsx'
import { notifyDone } from '../../ui/notify.ts'
import { Actor } from '../me.tsx'
import { reconciliationTexts } from './texts.ts'
import { providerName } from '../provider-name.ts'

type Source = OperationsOverview['reconciliation'][number]
type Account = Pick<ProviderBalance, 'provider' | 'environment'>

const keyOf = ({ provider, environment }: Account): string => `${provider} ${environment}`

/** The first row of each account, of rows in order. */
const firstOfEach = <Row extends Account>(rows: readonly Row[]): Row[] =>
  rows.filter((row, place) => rows.findIndex((one) => keyOf(one) === keyOf(row)) === place)

export function Balances({ sources }: { sources: readonly Source[] }) {
  const say = reconciliationTexts.use()
  const [isAsked, setIsAsked] = useState(false)
  const read = useAnswer('GET /v1/admin/provider-balances', {}, { isLive: 'slowly' })
  const listOf = <Row,>(rows: readonly Row[] | undefined) => ({ ...read, data: rows && { data: rows } })
  const accountOf = ({ provider, environment }: Account): string =>
    `${providerName(provider)} · ${say(`environment.${environment}`)}`
  const balances: Column<ProviderBalance>[] = [
    headingColumn(say('account'), accountOf),
    momentColumn(say('readAt'), ({ read_at }) => read_at, { ago: true }),
    { ...moneyColumn<ProviderBalance>(say('theirs'), ({ reported }) => reported), key: 'theirs' },
    moneyColumn(say('least'), ({ low }) => low),
    moneyColumn(say('most'), ({ high }) => high),
    oppositeColumn(say('difference'), ({ has_opening, difference }) =>
      has_opening ? (
        <Text span fw={600} {...(difference !== 0 && { c: 'red' })}>
          <Money amount={difference} />
        </Text>
      ) : (
        <Badge color="yellow">{say('noOpening')}</Badge>
      ),
    ),
  ]
  const movements: Column<ProviderMovement>[] = [
    headingColumn(say('movement'), ({ kind, amount }) =>
      say(`movementKind.${kind === 'correction' && amount < 0 ? 'correction_down' : kind}`),
    ),
    { title: say('account'), cell: accountOf },
    { title: say('reference'), cell: ({ reference }) => reference },
    { title: say('note'), cell: ({ note }) => note },
    { title: say('recordedBy'), cell: ({ recorded_by }) => <Actor id={recorded_by} /> },
    momentColumn(say('recordedAt'), ({ recorded_at }) => recorded_at),
    amountColumn(say('amount'), ({ amount }) => amount),
  ]
  return (
    <>
      <ListSection
        title={say('balances')}
        list={listOf(read.data && firstOfEach(read.data.data.balances))}
        columns={balances}
        rowKey={keyOf}
        none={{ icon: IconScale, title: say('noBalances') }}
      />
      <ListSection
        title={say('movements')}
        actions={
          <Button variant="default" onClick={() => setIsAsked(true)} disabled={sources.length === 0}>
            {say('record')}
          </Button>
        }
        list={listOf(read.data?.data.movements)}
        columns={movements}
        rowKey={({ id }) => id}
        none={{ icon: IconScale, title: say('noMovements') }}
      />
      <Modal opened={isAsked} onClose={() => setIsAsked(false)} title={say('record')}>
        {isAsked && <Movement accounts={firstOfEach(sources)} nameOf={accountOf} onClose={() => setIsAsked(false)} />}
      </Modal>
    </>
  )
}

/** The kinds as operators choose them: the field of an amount knows no sign. */
const choices = ['opening', 'top_up', 'withdrawal', 'correction', 'correction_down'] as const

function Movement(props: { accounts: readonly Account[]; nameOf(account: Account): string; onClose(): void }) {
  const { accounts, nameOf, onClose } = props
  const say = reconciliationTexts.use()
  const record = useAction('POST /v1/admin/provider-movements')
  const form = useForm({
    fields: {
      account: keyOf(accounts[0]!),
      kind: 'top_up' as (typeof choices)[number],
      amount: undefined as number | undefined,
      reference: '',
      note: '',
    },
    required: ['amount', 'reference', 'note'],
    send: async ({ account, kind, amount = 0, ...texts }) => {
      const { provider, environment } = accounts.find((one) => keyOf(one) === account)!
      const isDown = kind === 'correction_down'
      const movement = { kind: isDown ? 'correction' : kind, amount: isDown ? -amount : amount } as const
      await record.mutateAsync({ body: { provider, environment, ...movement, ...texts } })
      onClose()
      notifyDone(say('recorded'))
    },
  })
  return (
    <Form of={form}>
      <Text>{say('recordText')}</Text>
      <NativeSelect
        label={say('account')}
        {...form.field('account')}
        data={accounts.map((one) => ({ value: keyOf(one), label: nameOf(one) }))}
      />
      <NativeSelect
        label={say('movement')}
        {...form.field('kind')}
        data={choices.map((value) => ({ value, label: say(`movementKind.${value}`) }))}
      />
      <AmountInput label={say('amount')} {...form.control('amount')} data-autofocus />
      <TextInput label={say('reference')} description={say('referenceHint')} {...form.field('reference')} maxLength={100} />
      <TextInput label={say('note')} {...form.field('note')} maxLength={300} />
      <DialogButtons of={form} onCancel={onClose} action={say('record')} />
    </Form>
  )
}
