/** Who looks at the screen, for the words “you”. */
import { useAnswer } from '../api/queries.ts'
import { operatorTexts } from './operator-texts.ts'

export function useMyId(): string | undefined {
  return useAnswer('GET /v1/me', {}).data?.data.id
}

/** A name for who did something: you, the service, or the id where no name is known. */
export function useActorName(): (id: string, name?: string | null) => string {
  const say = operatorTexts.use()
  const me = useMyId()
  return (id, name) => {
    if (id === me) return say('you')
    if (id === 'system') return say('system')
    return id === 'ops' ? say('commandLine') : (name ?? id)
  }
}
