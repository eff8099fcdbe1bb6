/** Short notices in the corner: that something was done, or that it could not be. */
import { notifications } from '@mantine/notifications'
import { problemText } from './problem-text.ts'

export function notifyDone(message: string): void {
  notifications.show({ message, color: 'green', autoClose: 5000 })
}

/** It stays until it is closed: what went wrong is not to be missed. */
export function notifyProblem(error: unknown): void {
  notifications.show({ message: problemText(error), color: 'red', autoClose: false })
}
