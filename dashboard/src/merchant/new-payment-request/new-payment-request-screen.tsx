/** Makes a payment request. */
import { Alert, Button, Group, Paper, SimpleGrid, Stack, Textarea, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useAction } from '../../api/queries.ts'
import { AmountInput } from '../../ui/amount-input.tsx'
import { BackLink } from '../../ui/back-link.tsx'
import { notifyDone } from '../../ui/notify.ts'
import { fieldProblems, problemText } from '../../ui/problem-text.ts'
import { Screen } from '../../ui/screen.tsx'
import { shared } from '../../ui/texts.ts'
import { useAccount } from '../account.ts'
import { Barred, useMay } from '../barred.tsx'
import { newPaymentRequestTexts } from './texts.ts'

/** Fields whose refusal has a sentence in both languages. */
const known = ['title', 'amount', 'customer.phone_number', 'customer.email', 'expires_at'] as const

const empty = { title: '', description: '', reference: '', name: '', email: '', phone: '', endsAt: '' }

function Form() {
  const say = newPaymentRequestTexts.use()
  const sayShared = shared.use()
  const navigate = useNavigate({ from: '/$owner/$environment' })
  const { query } = useAccount()
  const [amount, setAmount] = useState<number>()
  const [typed, setTyped] = useState(empty)
  // One key for one form: a second press, or a repeat after a lost answer, makes no second request.
  const [idempotencyKey] = useState(() => crypto.randomUUID())
  const { mutate, isPending, error } = useAction('POST /v1/merchant/payment-requests')
  const refused = fieldProblems(error)
  const problems = Object.fromEntries(
    Object.keys(refused).map((name) => [name, say(`problem.${known.find((one) => one === name) ?? 'other'}`)]),
  )
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
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        mutate(
          { query, body, idempotencyKey },
          {
            onSuccess: ({ data }) => {
              notifyDone(say('made'))
              void navigate({ to: './pages/requests/$request', params: { request: data.id } as never })
            },
          },
        )
      }}
    >
      <Stack gap="lg" maw={640}>
        {error && (
          <Alert color="red" role="alert">
            {Object.keys(problems).length > 0 ? say('someProblem') : problemText(error)}
          </Alert>
        )}
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
          <Button type="submit" size="md" loading={isPending}>
            {say('make')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

export function NewPaymentRequestScreen() {
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
      {may && <Form />}
    </Screen>
  )
}
