/** The way to the next request. While a customer may still pay the last one, it asks first: only this tab holds what cancels that payment. */
import { Alert, Button } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { tillTexts } from './texts.ts'

type Props = {
  /** What may still be paid; undefined: nothing. */
  open: string | undefined
  /** Undefined: it cannot be cancelled. */
  cancel?: { isPending: boolean; send(): void }
  isOff?: boolean
  onLeave(): void
}

export function AnotherRequest({ open, cancel, isOff = false, onLeave }: Props) {
  const say = tillTexts.use()
  const [isAsking, setIsAsking] = useState(false)
  const first = useRef<HTMLButtonElement>(null)
  const wasPressed = useRef(false)
  // The pressed button is gone: the first one of what stands there now has the focus.
  useEffect(() => {
    if (wasPressed.current) first.current?.focus()
  }, [isAsking])
  const ask = (next: boolean): void => {
    wasPressed.current = true
    setIsAsking(next)
  }
  const isSending = cancel?.isPending ?? false
  if (open === undefined || !isAsking) {
    return (
      <Button
        ref={first}
        variant="default"
        fullWidth
        disabled={isOff}
        onClick={() => (open === undefined ? onLeave() : ask(true))}
      >
        {say('another')}
      </Button>
    )
  }
  return (
    <>
      <Alert color="yellow" role="alert" w="100%">
        {open}
      </Alert>
      {cancel && (
        <Button ref={first} fullWidth loading={isSending} onClick={cancel.send}>
          {say('cancelThenAnother')}
        </Button>
      )}
      <Button ref={cancel ? undefined : first} variant="default" fullWidth disabled={isSending} onClick={onLeave}>
        {say('leaveOpen')}
      </Button>
      <Button variant="default" fullWidth disabled={isSending} onClick={() => ask(false)}>
        {say('goBack')}
      </Button>
    </>
  )
}
