/** Verifies the person again when the API requires it; the original request then continues. */
import { Modal, Skeleton, Text } from '@mantine/core'
import { call } from '../api/call.ts'
import { useAnswer } from '../api/queries.ts'
import { CodeInput } from './code-input.tsx'
import { DialogButtons } from './dialog-buttons.tsx'
import { Form, useForm } from './form.tsx'
import { problemText } from './problem-text.ts'
import { shared } from './texts.ts'
import { PasswordInput } from './password-input.tsx'

export default function StepUpDialog({ onEnd }: { onEnd(isProved: boolean): void }) {
  const say = shared.use()
  const me = useAnswer('GET /v1/me', {}).data?.data
  const hasFactor = me?.two_factor.enabled
  const form = useForm({
    fields: { proof: '' },
    send: async ({ proof }) => {
      await call('POST /v1/auth/step-up', { body: hasFactor ? { code: proof } : { password: proof } })
      onEnd(true)
    },
    problemsOf: (error) => ({ proof: problemText(error) }),
  })
  return (
    <Modal opened onClose={() => onEnd(false)} title={say('stepUp.title')}>
      <Form of={form}>
        <Text c="dimmed">{say('stepUp.why')}</Text>
        {hasFactor === undefined && <Skeleton h={62} />}
        {hasFactor === true && <CodeInput label={say('stepUp.code')} {...form.control('proof')} isFirst />}
        {hasFactor === false && (
          <PasswordInput
            label={say('stepUp.password')}
            autoComplete="current-password"
            {...form.field('proof')}
            autoFocus
            data-autofocus
          />
        )}
        <DialogButtons of={form} onCancel={() => onEnd(false)} action={say('continue')} isOff={form.values.proof === ''} />
      </Form>
    </Modal>
  )
}
