/** Turns the notifications of this browser on and off. */
import { Switch } from '@mantine/core'
import { useState } from 'react'
import { allowNotices, canShowNotices, stopNotices } from '../browser-notices/allow.ts'
import { showsNotices } from '../browser-notices/setting.ts'
import { browserNoticeTexts } from '../browser-notices/texts.ts'

export function BrowserNotices() {
  const say = browserNoticeTexts.use()
  const [isOn, setIsOn] = useState(showsNotices)
  const [isRefused, setIsRefused] = useState(!canShowNotices())
  const change = async (isWanted: boolean): Promise<void> => {
    if (!isWanted) stopNotices()
    const isAllowed = isWanted && (await allowNotices().catch(() => false))
    setIsOn(isAllowed)
    setIsRefused(isWanted && !isAllowed)
  }
  return (
    <Switch
      label={say('label')}
      description={say('text')}
      checked={isOn}
      error={isRefused && say('refused')}
      onChange={({ currentTarget: { checked } }) => void change(checked)}
    />
  )
}
