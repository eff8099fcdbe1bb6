/** The way to the next request. While a customer may still pay the last one, it asks first: only this tab holds what cancels that payment. */
import { Alert, Button } from '@mantine/core'
import { useState } from 'react'
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
  if (open === undefined || !isAsking) {
    return (
      <Button variant="default" fullWidth disabled={isOff} onClick={() => (open === undefined ? onLeave() : setIsAsking(true))}>
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
        <Button fullWidth loading={cancel.isPending} onClick={cancel.send}>
          {say('cancelThenAnother')}
        </Button>
      )}
      <Button variant="default" fullWidth onClick={onLeave}>
        {say('leaveOpen')}
      </Button>
      <Button variant="default" fullWidth onClick={() => setIsAsking(false)}>
        {say('goBack')}
      </Button>
    </>
  )
}
