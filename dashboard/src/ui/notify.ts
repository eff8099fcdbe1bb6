/** Short notices in the corner: success or failure of an action. Their code is loaded after the first screen. */
import { problemText } from './problem-text.ts'

type Notice = { message: string; color: 'green' | 'red'; autoClose: number | false }

async function show(notice: Notice): Promise<void> {
  const { notifications } = await import('./notices.tsx')
  notifications.show(notice)
}

export function notifyDone(message: string): void {
  void show({ message, color: 'green', autoClose: 5000 })
}

/** Tells the end of an action: `act.mutate(input, told(say('done')))`. */
export function told(done: string): { onSuccess(): void; onError(error: unknown): void } {
  return { onSuccess: () => notifyDone(done), onError: notifyProblem }
}

/** It stays until it is closed, so that no failure is missed. */
export function notifyFailure(message: string): void {
  void show({ message, color: 'red', autoClose: false })
}

export function notifyProblem(error: unknown): void {
  notifyFailure(problemText(error))
}
