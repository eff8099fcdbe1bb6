/** Whether this browser shows notifications: the choice of the person, on this device, and the permission of the browser. */
import { listenUnseen } from '../../api/use-live.ts'

const storageKey = 'malipo-browser-notices'

/** Shows them also on a phone, where a page alone may not. */
export const noticeWorker = '/dashboard/till-worker.js'

/** Only on https and localhost, and not in every browser. */
export const canShowNotices = (): boolean => 'Notification' in window && 'serviceWorker' in navigator

export function showsNotices(): boolean {
  return canShowNotices() && Notification.permission === 'granted' && localStorage.getItem(storageKey) === 'on'
}

/** Asks the browser for the permission; false if it was refused. */
export async function allowNotices(): Promise<boolean> {
  if (!canShowNotices() || (await Notification.requestPermission()) !== 'granted') return false
  await navigator.serviceWorker.register(noticeWorker)
  localStorage.setItem(storageKey, 'on')
  listenUnseen(true)
  return true
}

export function stopNotices(): void {
  localStorage.removeItem(storageKey)
  listenUnseen(false)
}
