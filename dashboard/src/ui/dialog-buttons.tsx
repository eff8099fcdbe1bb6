/** The end of a form in a dialog: a way out, and the button that sends it. */
import { Button, Group } from '@mantine/core'
import type { FormState } from './form.tsx'
import { shared } from './texts.ts'

type Props = {
  of: FormState
  onCancel(): void
  /** The label of the button; by default "Save". */
  action?: string
  isDanger?: boolean
  /** It cannot be sent yet. */
  isOff?: boolean
  /** A form without fields: the dialog opens with the focus on the button. */
  isFirst?: boolean
}

export function DialogButtons({ of, onCancel, action, isDanger = false, isOff = false, isFirst = false }: Props) {
  const say = shared.use()
  return (
    <Group justify="end">
      <Button variant="default" onClick={onCancel}>
        {say('cancel')}
      </Button>
      <Button
        type="submit"
        {...(isDanger && { color: 'red' })}
        {...(isFirst && { 'data-autofocus': true })}
        loading={of.isBusy}
        disabled={isOff}
      >
        {action ?? say('save')}
      </Button>
    </Group>
  )
}
