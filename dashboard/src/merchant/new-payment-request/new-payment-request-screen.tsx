/** Makes a payment request. */
import { Button, Group, Paper, SimpleGrid, Stack, Textarea, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useAction } from '../../api/queries.ts'
import { AmountInput } from '../../ui/amount-input.tsx'
import { BackLink } from '../../ui/back-link.tsx'
import { notifyDone } from '../../ui/notify.ts'
import { Form, useForm } from '../../ui/form.tsx'
import { fieldProblems } from '../../ui/problem-text.ts'
import { Screen } from '../../ui/screen.tsx'
import { shared } from '../../ui/texts.ts'
import { useAccount } from '../account.ts'
import { Barred, useMay } from '../barred.tsx'
import { newPaymentRequestTexts } from './texts.ts'

/** Fields whose refusal has a sentence in both languages. */
const known = ['title', 'amount', 'customer.phone_number', 'customer.email', 'expires_at'] as const

const empty = { title: '', description: '', reference: '', name: '', email: '', phone: '', endsAt: '' }

function Fields() {
  const say = newPaymentRequestTexts.use()
  const sayShared = shared.use()
  const navigate = useNavigate({ from: '/$owner/$environment' })
  const { query } = useAccount()
  const [amount, setAmount] = useState<number>()
  const [typed, setTyped] = useState(empty)
  const { mutateAsync } = useAction('POST /v1/merchant/payment-requests')
  const form = useForm({
    send: async (idempotencyKey) => {
      const { data } = await mutateAsync({ query, body, idempotencyKey })
      notifyDone(say('made'))
      await navigate({ to: './pages/requests/$request', params: { request: data.id } as never })
    },
    problemsOf: (error) =>
      Object.fromEntries(
        Object.keys(fieldProblems(error)).map((name) => [name, say(`problem.${known.find((one) => one === name) ?? 'other'}`)]),
      ),
  })
  const { problems } = form
  const field = (name: keyof typeof empty, problem: string) => ({
    value: typed[name],
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
      setTyped((now) => ({ ...now, [name]: value })),
    error: problems[problem],
  })
  const optional = (label: string): string => `${label} (${sayShared('optional')})`
  const body = {
    amount: amount ?? 0,
    title: typed.title,
    description: typed.description || null,
    merchant_reference: typed.reference || null,
    customer: { name: typed.name || null, email: typed.email || null, phone_number: typed.phone || null },
    expires_at: typed.endsAt === '' ? null : new Date(typed.endsAt).toISOString(),
  }
  return (
    <Form of={form} gap="lg" maw={640}>
      <Paper p="lg">
        <Stack gap="sm">
          <TextInput
            label={say('title')}
            description={say('titleText')}
            required
            maxLength={120}
            data-autofocus
            {...field('title', 'title')}
          />
          <AmountInput label={say('amount')} required value={amount} onChange={setAmount} error={problems['amount']} />
          <Textarea
            label={optional(say('description'))}
            maxLength={2000}
            autosize
            minRows={2}
            {...field('description', 'description')}
          />
          <TextInput
            label={optional(say('reference'))}
            description={say('referenceText')}
            maxLength={64}
            {...field('reference', 'merchant_reference')}
          />
        </Stack>
      </Paper>
      <Paper p="lg">
        <Stack gap="sm">
          <TextInput
            label={optional(say('name'))}
            description={say('customerText')}
            maxLength={120}
            {...field('name', 'customer.name')}
          />
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" verticalSpacing="sm">
            <TextInput
              label={optional(say('phone'))}
              type="tel"
              inputMode="tel"
              placeholder="0754 123 456"
              {...field('phone', 'customer.phone_number')}
            />
            <TextInput label={optional(say('email'))} type="email" {...field('email', 'customer.email')} />
          </SimpleGrid>
          <TextInput label={optional(say('endsAt'))} type="datetime-local" {...field('endsAt', 'expires_at')} />
        </Stack>
      </Paper>
      <Group>
        <Button type="submit" size="md" loading={form.isBusy}>
          {say('make')}
        </Button>
      </Group>
    </Form>
  )
}

export default function NewPaymentRequestScreen() {
  const say = newPaymentRequestTexts.use()
  const may = useMay('requests')
  return (
    <Screen
      title={say('new')}
      back={
        <BackLink from="/$owner/$environment" to="./pages/requests">
          {say('back')}
        </BackLink>
      }
    >
      <Barred what="requests" />
      {may && <Fields />}
    </Screen>
  )
}
