/** The sheet of a new request. It opens by itself when a request without a known end was left behind, as by a reload. */
import { useEffect } from 'react'
import { useAccount } from '../account.ts'
import { useAsked } from './asked.ts'
import { NewRequest } from './new-request.tsx'
import { Sheet } from './sheet.tsx'
import { tillTexts } from './texts.ts'

type Props = { personId: string; isOpen: boolean; onOpen(): void; onClose(): void }

export function RequestSheet({ personId, isOpen, onOpen, onClose }: Props) {
  const say = tillTexts.use()
  const { owner, environment } = useAccount()
  const asked = useAsked(`${personId} ${owner} ${environment}`)
  const { made, key, isEnded } = asked.value
  const { clear } = asked
  useEffect(() => {
    if (isEnded) clear()
    else if (made || key !== undefined) onOpen()
    // oxlint-disable-next-line react/exhaustive-deps -- once, for what was left behind
  }, [])
  return (
    <Sheet
      title={say('request')}
      isOpen={isOpen}
      onClose={() => {
        if (isEnded) clear()
        onClose()
      }}
    >
      <NewRequest asked={asked} />
    </Sheet>
  )
}
