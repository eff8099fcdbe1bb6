/** Closes a payment page after a confirmation, or opens it again. A closed page takes no payments; link and code stay the same. */
import { Button, Modal, Text, Textarea } from '@mantine/core'
import { IconPlayerPause, IconPlayerPlay } from '../../ui/icons.ts'
import { useState } from 'react'
import type { PaymentPage } from '../../api/operations.ts'
import { useAction } from '../../api/queries.ts'
import { notifyDone, notifyProblem } from '../../ui/notify.ts'
import { DialogButtons } from '../../ui/dialog-buttons.tsx'
import { Form, useForm } from '../../ui/form.tsx'
import { optional } from '../../ui/texts.ts'
import { useAccount } from '../account.ts'
import { pageTexts } from './texts.ts'

export function ActiveSwitch({ page }: { page: PaymentPage }) {
  const say = pageTexts.use()
  const { query } = useAccount()
  const [isAsking, setIsAsking] = useState(false)
  const change = useAction('PATCH /v1/merchant/payment-pages/{id_or_slug}')
  const set = async (body: { active: boolean; inactive_message?: string | null }): Promise<void> => {
    await change.mutateAsync({ params: { id_or_slug: page.id }, query, body })
    setIsAsking(false)
    notifyDone(say(body.active ? 'opened' : 'closed'))
  }
  const form = useForm({
    fields: { inactive_message: page.inactive_message ?? '' },
    send: ({ inactive_message: words }) => set({ active: false, inactive_message: words.trim() || null }),
  })
  if (!page.active) {
    return (
      <Button
        variant="default"
        leftSection={<IconPlayerPlay size={16} aria-hidden />}
        loading={change.isPending}
        onClick={() => void set({ active: true }).catch(notifyProblem)}
      >
        {say('activate')}
      </Button>
    )
  }
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconPlayerPause size={16} aria-hidden />}
        onClick={() => {
          form.reset()
          setIsAsking(true)
        }}
      >
        {say('deactivate')}
      </Button>
      <Modal opened={isAsking} onClose={() => setIsAsking(false)} title={say('deactivateTitle')}>
        <Form of={form}>
          <Text c="dimmed">{say('deactivateText')}</Text>
          <Textarea
            label={optional(say('inactiveMessage'))}
            description={say('inactiveMessageText')}
            maxLength={500}
            autosize
            minRows={2}
            {...form.field('inactive_message')}
            data-autofocus
          />
          <DialogButtons of={form} onCancel={() => setIsAsking(false)} action={say('deactivate')} isDanger />
        </Form>
      </Modal>
    </>
  )
}
