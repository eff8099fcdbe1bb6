/** Verifies the person again when the API requires it; the original request then continues. */
import { Modal, Skeleton, Text } from '@mantine/core'
import { call } from '../api/call.ts'
import { useAnswer } from '../api/queries.ts'
import { CodeInput } from './code-input.tsx'
import { DialogButtons } from './dialog-buttons.tsx'
import { Form, useForm } from './form.tsx'
import { problemText } from './problem-text.ts'
import { shared } from './texts.ts'
import { defineTexts } from '../i18n/define-texts.ts'
import { PasswordInput } from './password-input.tsx'

/** Beside the dialog, which a first visit does not load. */
const texts = defineTexts('step-up', [shared], {
  title: ['Verify that it is you', 'Thibitisha kuwa ni wewe'],
  why: [
    'This action is sensitive. After this check you are not asked again for 5 minutes.',
    'Unachotaka kufanya ni nyeti. Utaulizwa mara moja, kisha si tena kwa dakika 5.',
  ],
  code: ['Code of your authenticator app', 'Msimbo wa programu yako ya uthibitisho'],
  password: ['Password', 'Nenosiri'],
})

export default function StepUpDialog({ onEnd }: { onEnd(isProved: boolean): void }) {
  const say = texts.use()
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
    <Modal opened onClose={() => onEnd(false)} title={say('title')}>
      <Form of={form}>
        <Text c="dimmed">{say('why')}</Text>
        {hasFactor === undefined && <Skeleton h={62} />}
        {hasFactor === true && <CodeInput label={say('code')} {...form.control('proof')} isFirst />}
        {hasFactor === false && (
          <PasswordInput
            label={say('password')}
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
