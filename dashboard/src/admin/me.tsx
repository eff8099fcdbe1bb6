/** Names of those who act: operators, the service, the provider; and the current operator, for the word “you”. */
import { Link } from '@tanstack/react-router'
import { useAnswer } from '../api/queries.ts'
import { operatorTexts } from './operator-texts.ts'

export function useMyId(): string | undefined {
  return useAnswer('GET /v1/me', {}).data?.data.id
}

/** A name for an actor: you, an operator, the service, the provider, or the id if no name is known. */
export function useActorName(): (id: string, name?: string | null) => string {
  const say = operatorTexts.use()
  const me = useMyId()
  const operators = useAnswer('GET /v1/admin/operators', {}).data?.data
  return (id, name) => {
    if (id === me) return say('you')
    if (id === 'system') return say('system')
    if (id === 'payer') return say('payer')
    // By its message, or by its answer to a question.
    if (id.startsWith('provider:')) return say('provider')
    if (id === 'ops') return say('commandLine')
    return name ?? operators?.find((one) => one.id === id)?.name ?? id
  }
}

/** The name of an actor; that of a person leads to what they did in the audit log, where their id is. */
export function Actor({ id }: { id: string }) {
  const name = useActorName()(id)
  if (!id.startsWith('usr_')) return name
  return (
    <Link to="/audit" search={{ actor: id }}>
      {name}
    </Link>
  )
}
