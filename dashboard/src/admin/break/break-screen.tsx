/** One break and its resolution by two operators. */
import { useParams } from '@tanstack/react-router'
import { useAnswer } from '../../api/queries.ts'
import { Screen } from '../../ui/screen.tsx'
import { BreakPanel } from '../break-panel.tsx'
import { operatorTexts } from '../operator-texts.ts'
import { UnreadScreen } from '../../ui/unread.tsx'

export default function BreakScreen() {
  const say = operatorTexts.use()
  const { id } = useParams({ from: '/signed-in/breaks/$id' })
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
