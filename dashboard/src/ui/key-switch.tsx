/** Turns the shortcuts of single keys on and off, on this device. */
import { Switch, type SwitchProps } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import { areKeysOn, keysStorage } from './keys.ts'

const watchers = new Set<() => void>()

function watch(watcher: () => void): () => void {
  watchers.add(watcher)
  return () => void watchers.delete(watcher)
}

export function KeySwitch(look: Pick<SwitchProps, 'label' | 'description' | 'visibleFrom'>) {
  const isOn = useSyncExternalStore(watch, areKeysOn)
  return (
    <Switch
      {...look}
      checked={isOn}
      onChange={(event) => {
        localStorage.setItem(keysStorage, String(event.currentTarget.checked))
        for (const watcher of watchers) watcher()
      }}
    />
  )
}
