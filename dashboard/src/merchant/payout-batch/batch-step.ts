/** A step of a batch to another state. The part of the screen that asked for it goes away with the old state, so it is told first. */
import { useQueryClient, type UseMutationResult } from '@tanstack/react-query'
import type { Answer, Input, OperationKey } from '../../api/call.ts'
import { useAction } from '../../api/queries.ts'

type Step<Key extends OperationKey> = UseMutationResult<Answer<Key>, Error, Input<Key>> & {
  /** `done` runs when the API has confirmed it, before the screen shows the new state. */
  take(input: Input<Key>, done: (answer: Answer<Key>) => void, failed?: (error: Error) => void): void
}

export function useBatchStep<Key extends OperationKey>(key: Key): Step<Key> {
  const client = useQueryClient()
  const action = useAction(key, [])
  return {
    ...action,
    take: (input, done, failed) =>
      action.mutate(input, {
        onSuccess: (answer) => {
          done(answer)
          void client.invalidateQueries()
        },
        onError: (error) => {
          failed?.(error)
          // A refusal often means that others changed the batch.
          void client.invalidateQueries()
        },
      }),
  }
}
