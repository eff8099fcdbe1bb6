/** The masked number of a payer, and the whole one for a member whose role may see it: asked for by a button, and recorded by the API. */
import { phoneText } from '../ui/format.ts'
import { ActionIcon, Button, Group, Text, Tooltip } from '@mantine/core'
import { useAction } from '../api/queries.ts'
import { defineTexts } from '../i18n/define-texts.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { IconEye, IconPhone } from '../ui/icons.ts'
import { problemText } from '../ui/problem-text.ts'
import { useAccount } from './account.ts'
import { useCan } from './membership.ts'

const texts = defineTexts('payer-number', {
  show: ['Show number', 'Onyesha namba'],
  recorded: ['Your name and the time are recorded.', 'Jina lako na wakati vinahifadhiwa.'],
  number: ['Phone number', 'Namba ya simu'],
  call: ['Call {{number}}', 'Piga {{number}}'],
  erased: ['This person’s data has been erased.', 'Taarifa za mtu huyu zimefutwa.'],
})

type Of = { reference: string } | { customer: string }

type Props = {
  of: Of
  masked: string
  /** Of the payer, for screen readers. */
  name: string | null
  /** The side of the line on which it stands. */
  side: 'start' | 'end'
}

/** The button has gone when the number is there: the focus moves to the number, which is then read aloud. */
const focusNow = (number: HTMLElement | null): void => number?.focus()

export function PayerNumber({ of, masked, name, side }: Props) {
  const say = texts.use()
  const { query } = useAccount()
  const can = useCan()
  const ofPayment = useAction('POST /v1/merchant/payments/{reference}/payer', [])
  const ofCustomer = useAction('POST /v1/merchant/customers/{id}/payer', [])
  const { data, error, isPending } = 'reference' in of ? ofPayment : ofCustomer
  const show = (): void =>
    'reference' in of
      ? ofPayment.mutate({ params: { reference: of.reference }, query })
      : ofCustomer.mutate({ params: { id: of.customer }, query })
  const number = data?.data.phone_number
  if (number) {
    return (
      <Group gap={4} wrap="nowrap" justify={side}>
        <span className="figures nowrap" tabIndex={-1} ref={focusNow}>
          {phoneText(number)}
        </span>
        <CopyButton value={number} label={say('number')} />
        <Tooltip label={say('call', { number: phoneText(number) })}>
          <ActionIcon component="a" href={`tel:${number}`} aria-label={say('call', { number: phoneText(number) })}>
            <IconPhone size={16} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </Group>
    )
  }
  return (
    <div>
      <Group gap="xs" justify={side}>
        <span className="figures nowrap">{masked}</span>
        {can('payers.read') && number === undefined && (
          <Tooltip label={say('recorded')}>
            <Button
              variant="default"
              size="xs"
              leftSection={<IconEye size={14} aria-hidden />}
              loading={isPending}
              aria-label={name === null ? say('show') : `${say('show')}: ${name}`}
              onClick={show}
            >
              {say('show')}
            </Button>
          </Tooltip>
        )}
      </Group>
      {number === null && (
        <Text size="xs" c="dimmed" role="status">
          {say('erased')}
        </Text>
      )}
      {error && (
        <Text size="xs" c="red" role="alert">
          {problemText(error)}
        </Text>
      )}
    </div>
  )
}
