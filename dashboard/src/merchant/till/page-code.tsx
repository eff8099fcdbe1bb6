/** The code of a payment page, large, for the customer's camera. The till counts the payments of the page that it has shown. */
import { NativeSelect, Stack, Text } from '@mantine/core'
import { useEffect } from 'react'
import { useAnswer } from '../../api/queries.ts'
import { QrCode } from '../../ui/qr-code.tsx'
import { useAccount } from '../account.ts'
import { tillTexts } from './texts.ts'
import { Unread } from '../../ui/unread.tsx'

type Props = { chosen: string | null; onChoose(id: string): void }

export function PageCode({ chosen, onChoose }: Props) {
  const say = tillTexts.use()
  const { query } = useAccount()
  const { data, error, refetch } = useAnswer('GET /v1/merchant/payment-pages', { query: { ...query, limit: 100 } })
  const pages = data?.data.filter(({ active }) => active) ?? []
  const page = pages.find(({ id }) => id === chosen) ?? pages[0]
  const shown = page?.id
  useEffect(() => {
    if (shown !== undefined && shown !== chosen) onChoose(shown)
  }, [shown, chosen, onChoose])
  if (!data) return <Unread of={{ error, refetch }} placeholder={280} />
  if (!page) return <Text>{say('noPage')}</Text>
  return (
    <Stack align="center" gap="md">
      {pages.length > 1 && (
        <NativeSelect
          w="100%"
          label={say('choosePage')}
          value={page.id}
          data={pages.map(({ id, title }) => ({ value: id, label: title }))}
          onChange={({ currentTarget }) => onChoose(currentTarget.value)}
        />
      )}
      <QrCode value={page.url} label={page.title} size={248} />
      <Text fw={600} ta="center">
        {page.title}
      </Text>
      <Text size="sm" c="dimmed" ta="center">
        {say('scan')} {say('counted')}
      </Text>
      <Text className="code" ta="center">
        {page.url.replace(/^https?:\/\//, '')}
      </Text>
    </Stack>
  )
}
