/** The volume of payments by day. */
import type { MerchantSummary } from '../../api/operations.ts'
import { ChartWithTable } from '../../ui/chart-with-table.tsx'
import { money } from '../../ui/format.ts'
import { homeTexts } from './texts.ts'

export function VolumeChart({ days }: { days: MerchantSummary['days'] }) {
  const say = homeTexts.use()
  return (
    <ChartWithTable
      label={say('volumeByDay')}
      valueText={(value) => money(value)}
      days={days.map(({ date, volume, count }) => ({ date, value: volume, note: say('payments', { count }) }))}
    />
  )
}
