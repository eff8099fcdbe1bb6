/** Makes a payment request. */
import { BackLink } from '../links.tsx'
import { Button, Group, Paper, SimpleGrid, Stack, Textarea, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useAction } from '../../api/queries.ts'
import { AmountInput } from '../../ui/amount-input.tsx'
import { notifyDone } from '../../ui/notify.ts'
import { Form, useForm } from '../../ui/form.tsx'
import { fieldProblems } from '../../ui/problem-text.ts'
import { Screen } from '../../ui/screen.tsx'
import { optional } from '../../ui/texts.ts'
import { useAccount } from '../account.ts'
import { Barred, useMay } from '../barred.tsx'
import { newPaymentRequestTexts } from './texts.ts'

/** Fields whose refusal has a sentence in both languages. */
const known = ['title', 'amount', 'customer.phone_number', 'customer.email', 'expires_at'] as const

const empty = {
  title: '',
  amount: undefined as number | undefined,
  description: '',
  merchant_reference: '',
  'customer.name': '',
  'customer.email': '',
  'customer.phone_number': '',
  expires_at: '',
}

const bodyOf = (typed: typeof empty) => ({
  amount: typed.amount ?? 0,
  title: typed.title,
  description: typed.description || null,
  merchant_reference: typed.merchant_reference || null,
  customer: {
    name: typed['customer.name'] || null,
    email: typed['customer.email'] || null,
    phone_number: typed['customer.phone_number'] || null,
  },
  expires_at: typed.expires_at === '' ? null : new Date(typed.expires_at).toISOString(),
})

function Fields() {
  const say = newPaymentRequestTexts.use()
  const navigate = useNavigate({ from: '/$owner/$environment' })
  const { query } = useAccount()
  const { mutateAsync } = useAction('POST /v1/merchant/payment-requests')
  const form = useForm({
    fields: empty,
    send: async (typed, idempotencyKey) => {
      const { data } = await mutateAsync({ query, body: bodyOf(typed), idempotencyKey })
      notifyDone(say('made'))
      await navigate({ to: './pages/requests/$request', params: { request: data.id } as never })
    },
    problemsOf: (error) =>
      Object.fromEntries(
        Object.keys(fieldProblems(error)).map((name) => [name, say(`problem.${known.find((one) => one === name) ?? 'other'}`)]),
      ),
  })
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
            {...form.field('title')}
          />
          <AmountInput label={say('amount')} required {...form.control('amount')} />
          <Textarea label={optional(say('description'))} maxLength={2000} autosize minRows={2} {...form.field('description')} />
          <TextInput
            label={optional(say('reference'))}
            description={say('referenceText')}
            maxLength={64}
            {...form.field('merchant_reference')}
          />
        </Stack>
      </Paper>
      <Paper p="lg">
        <Stack gap="sm">
          <TextInput
            label={optional(say('name'))}
            description={say('customerText')}
            maxLength={120}
            {...form.field('customer.name')}
          />
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" verticalSpacing="sm">
            <TextInput
              label={optional(say('phone'))}
              type="tel"
              inputMode="tel"
              placeholder="0754 123 456"
              {...form.field('customer.phone_number')}
            />
            <TextInput label={optional(say('email'))} type="email" {...form.field('customer.email')} />
          </SimpleGrid>
          <TextInput label={optional(say('endsAt'))} type="datetime-local" {...form.field('expires_at')} />
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
    <Screen title={say('new')} back={<BackLink to="./pages/requests">{say('back')}</BackLink>}>
      <Barred what="requests" />
      {may && <Fields />}
    </Screen>
  )
}
