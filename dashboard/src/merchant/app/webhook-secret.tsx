/** The secret of a webhook: hidden until requested, because each view is recorded; can be copied and rotated. */
import { Button, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import type { App } from '../../api/operations.ts'
import { call } from '../../api/call.ts'
import { useAction } from '../../api/queries.ts'
import { Note } from '../../ui/note.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Moment } from '../../ui/moment.tsx'
import { notifyProblem } from '../../ui/notify.ts'
import { appTexts } from './texts.ts'
import { useForm } from '../../ui/form.tsx'

export function WebhookSecret({ app, rotatedAt }: { app: App; rotatedAt: string | null }) {
  const say = appTexts.use()
  const [secret, setSecret] = useState<string>()
  const [isBusy, setIsBusy] = useState(false)
  const [isRotating, { open, close }] = useDisclosure()
  const params = { app_id: app.id }
  const rotate = useAction('POST /developers/apps/{app_id}/webhook/rotate', ['GET /developers/apps/{app_id}/webhook/state'])

  const form = useForm({
    send: async () => {
      setSecret((await rotate.mutateAsync({ params })).data.secret)
      // The secret is in memory only while it is shown.
      rotate.reset()
      close()
    },
  })

  const reveal = async (): Promise<void> => {
    setIsBusy(true)
    try {
      const { data } = await call('GET /developers/apps/{app_id}/webhook', { params })
      setSecret(data.secret)
    } catch (error) {
      notifyProblem(error)
    } finally {
      setIsBusy(false)
    }
  }

  return (
    <>
      <Group gap="xs">
        <span className="code">{secret ?? `whsec_${'•'.repeat(12)}`}</span>
        {secret === undefined ? (
          <Button size="xs" variant="default" loading={isBusy} onClick={() => void reveal()}>
            {say('reveal')}
          </Button>
        ) : (
          <>
            <CopyButton value={secret} label={say('secret')} />
            <Button size="xs" variant="default" onClick={() => setSecret(undefined)}>
              {say('hide')}
            </Button>
          </>
        )}
        <Button size="xs" variant="default" onClick={open}>
          {say('rotate')}
        </Button>
      </Group>
      {rotatedAt !== null && (
        <Note>
          {say('rotated')} <Moment at={rotatedAt} ago />
        </Note>
      )}
      <ConfirmDialog isOpen={isRotating} onClose={close} title={say('rotateTitle')} action={say('rotate')} of={form}>
        {say('rotateText')}
      </ConfirmDialog>
    </>
  )
}
