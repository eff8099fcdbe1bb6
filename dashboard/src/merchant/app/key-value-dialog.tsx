/** A dialog whose form ends in the value of a key, shown this once. Invariant: the value is nowhere but here, and goes with the dialog. */
import { Modal } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { ShownOnce } from '../../ui/shown-once.tsx'
import { appTexts } from './texts.ts'

type Props = {
  /** While the form stands. */
  title: string
  isOpen: boolean
  onClose(): void
  /** The form; it says what was made. */
  form(parts: { onMade(value: string): void; onClose(): void }): ReactNode
}

export function KeyValueDialog({ title, isOpen, onClose, form }: Props) {
  const say = appTexts.use()
  const [isShown, setIsShown] = useState(false)
  const end = (): void => {
    setIsShown(false)
    onClose()
  }
  return (
    <Modal
      opened={isOpen}
      onClose={end}
      title={isShown ? say('newKey') : title}
      // Nothing but the person's word closes the only sight of it.
      closeOnEscape={!isShown}
      closeOnClickOutside={!isShown}
      withCloseButton={!isShown}
    >
      {isOpen && <FormThenValue form={form} onShown={() => setIsShown(true)} onClose={end} />}
    </Modal>
  )
}

/** Apart from the dialog, so that the value goes when its content does. */
function FormThenValue({ form, onShown, onClose }: Pick<Props, 'form' | 'onClose'> & { onShown(): void }) {
  const say = appTexts.use()
  const [value, setValue] = useState<string>()
  if (value !== undefined) return <ShownOnce value={value} label={say('key')} onDone={onClose} />
  const onMade = (made: string): void => {
    setValue(made)
    onShown()
  }
  return form({ onMade, onClose })
}
