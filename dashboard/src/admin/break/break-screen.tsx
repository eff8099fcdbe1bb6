/** One break and its resolution by two operators. */
import { Skeleton } from '@mantine/core'
import { useAnswer } from '../../api/queries.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { Screen } from '../../ui/screen.tsx'
import { BreakPanel } from '../break-panel.tsx'
import { operatorTexts } from '../operator-texts.ts'
import { breakRoute } from '../routes.ts'

export function BreakScreen() {
  const say = operatorTexts.use()
  const { id } = breakRoute.useParams()
  const {
    data: answer,
    error,
    refetch,
  } = useAnswer('GET /v1/admin/breaks/{break_id}', { params: { break_id: id } }, { isLive: true })
  if (!answer) {
    return <Screen title={say('break')}>{error ? <ErrorState error={error} onRetry={refetch} /> : <Skeleton h={320} />}</Screen>
  }
  return (
    <Screen title={say('break')} text={answer.data.id}>
      <BreakPanel found={answer.data} />
    </Screen>
  )
}
