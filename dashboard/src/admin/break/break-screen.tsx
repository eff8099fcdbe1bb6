/** One break and its resolution by two operators. */
import { useAnswer } from '../../api/queries.ts'
import { Screen } from '../../ui/screen.tsx'
import { BreakPanel } from '../break-panel.tsx'
import { operatorTexts } from '../operator-texts.ts'
import { breakRoute } from '../routes.ts'
import { UnreadScreen } from '../../ui/unread.tsx'

export function BreakScreen() {
  const say = operatorTexts.use()
  const { id } = breakRoute.useParams()
  const {
    data: answer,
    error,
    refetch,
  } = useAnswer('GET /v1/admin/breaks/{break_id}', { params: { break_id: id } }, { isLive: true })
  if (!answer) return <UnreadScreen title={say('break')} of={{ error, refetch }} placeholder={320} />
  return (
    <Screen title={say('break')} text={answer.data.id}>
      <BreakPanel found={answer.data} />
    </Screen>
  )
}
