/** A step of a batch to another state. The part of the screen that asked for it goes away with the old state, so it is told first. */
import { useQueryClient } from '@tanstack/react-query'
import type { Answer, Input, OperationKey } from '../../api/call.ts'
import { useAction } from '../../api/queries.ts'

/** `done` runs when the API has confirmed it, before the screen shows the new state. */
type Take<Key extends OperationKey> = (input: Input<Key>, done: (answer: Answer<Key>) => void) => Promise<void>

export function useBatchStep<Key extends OperationKey>(key: Key): { take: Take<Key>; isPending: boolean } {
  const client = useQueryClient()
  const { mutateAsync, isPending } = useAction(key, [])
  return {
    isPending,
    take: async (input, done) => {
      try {
        done(await mutateAsync(input))
      } finally {
        // A refusal often means that others changed the batch.
        void client.invalidateQueries()
      }
    },
  }
}
