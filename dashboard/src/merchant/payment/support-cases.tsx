/** The reports of payers about this payment, if there are any. */
import { Badge, Group, Stack } from '@mantine/core'
import { useAnswer } from '../../api/queries.ts'
import { defineTexts } from '../../i18n/define-texts.ts'
import { Moment } from '../../ui/moment.tsx'
import { Section } from '../../ui/screen.tsx'
import { useAccount } from '../account.ts'

const texts = defineTexts('payment-support-cases', {
  title: ['The payer says that money was taken', 'Mlipaji anasema pesa imekatwa'],
  open: ['The network is being asked', 'Mtandao unaulizwa'],
  answered: {
    received: ['Answered: the payment was received', 'Amejibiwa: malipo yamepokelewa'],
    no_money: ['Answered: the network says that no money was taken', 'Amejibiwa: mtandao unasema hakuna pesa iliyokatwa'],
  },
  with_operators: ['Malipo’s team is looking at it', 'Timu ya Malipo inaliangalia'],
  closed: ['Malipo’s team has answered the payer', 'Timu ya Malipo imemjibu mlipaji'],
})

export function SupportCases({ reference }: { reference: string }) {
  const say = texts.use()
  const { query } = useAccount()
  const { data } = useAnswer(
    'GET /v1/merchant/payments/{reference}/support-cases',
    { params: { reference }, query },
    { isLive: true },
  )
  if (!data || data.data.length === 0) return undefined
  return (
    <Section title={say('title')}>
      <Stack gap="xs">
        {data.data.map(({ id, state, finding, created_at }) => (
          <Group key={id} gap="sm">
            <Badge color={state === 'with_operators' ? 'yellow' : 'gray'}>
              {state === 'open' || state === 'asking'
                ? say('open')
                : state === 'answered'
                  ? say(`answered.${finding ?? 'no_money'}`)
                  : say(state)}
            </Badge>
            <Moment at={created_at} />
          </Group>
        ))}
      </Stack>
    </Section>
  )
}
