/** The current operator, for the word “you”. */
import { useAnswer } from '../api/queries.ts'
import { operatorTexts } from './operator-texts.ts'

export function useMyId(): string | undefined {
  return useAnswer('GET /v1/me', {}).data?.data.id
}

/** A name for an actor: you, the service, the provider, or the id if no name is known. */
export function useActorName(): (id: string, name?: string | null) => string {
  const say = operatorTexts.use()
  const me = useMyId()
  return (id, name) => {
    if (id === me) return say('you')
    if (id === 'system') return say('system')
    if (id === 'payer') return say('payer')
    // By its message, or by its answer to a question.
    if (id.startsWith('provider:')) return say('provider')
    return id === 'ops' ? say('commandLine') : (name ?? id)
  }
}
