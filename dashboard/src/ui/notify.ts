/** Short notices in the corner: success or failure of an action. */
import { notifications } from '@mantine/notifications'
import { problemText } from './problem-text.ts'

export function notifyDone(message: string): void {
  notifications.show({ message, color: 'green', autoClose: 5000 })
}

/** It stays until it is closed, so that no failure is missed. */
export function notifyProblem(error: unknown): void {
  notifications.show({ message: problemText(error), color: 'red', autoClose: false })
}
