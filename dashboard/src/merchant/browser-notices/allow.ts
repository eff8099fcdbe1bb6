/** Turns the notifications of this browser on and off, and shows one. */
import { listenUnseen } from '../../api/use-live.ts'
import { noticesKey } from './setting.ts'

/** Only on https and localhost, and not in every browser. */
export const canShowNotices = (): boolean => 'Notification' in window && 'serviceWorker' in navigator

/** The worker that shows them, also on a phone, where a page alone may not. */
export async function noticeWorker(): Promise<ServiceWorkerRegistration> {
  await navigator.serviceWorker.register('/dashboard/till-worker.js')
  return navigator.serviceWorker.ready
}

/** Asks the browser for the permission; false if it was refused. */
export async function allowNotices(): Promise<boolean> {
  if (!canShowNotices() || (await Notification.requestPermission()) !== 'granted') return false
  await noticeWorker()
  localStorage.setItem(noticesKey, 'on')
  listenUnseen(true)
  return true
}

export function stopNotices(): void {
  localStorage.removeItem(noticesKey)
  listenUnseen(false)
}
