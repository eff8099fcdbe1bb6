/** The code of a payment page, large, for the customer's camera. The chosen page is kept on this device. */
import { NativeSelect, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useAnswer } from '../../api/queries.ts'
import { QrCode } from '../../ui/qr-code.tsx'
import { useAccount } from '../account.ts'
import { tillTexts } from './texts.ts'
import { Unread } from '../../ui/unread.tsx'

export function PageCode() {
  const say = tillTexts.use()
  const { owner, environment, query } = useAccount()
  const storageKey = `malipo-till-page-${owner}-${environment}`
  const [chosen, setChosen] = useState(() => localStorage.getItem(storageKey))
  const { data, error, refetch } = useAnswer('GET /v1/merchant/payment-pages', { query: { ...query, limit: 100 } })
  if (!data) return <Unread of={{ error, refetch }} placeholder={280} />
  const pages = data.data.filter(({ active }) => active)
  const page = pages.find(({ id }) => id === chosen) ?? pages[0]
  if (!page) return <Text>{say('noPage')}</Text>
  return (
    <Stack align="center" gap="md">
      {pages.length > 1 && (
        <NativeSelect
          w="100%"
          label={say('choosePage')}
          value={page.id}
          data={pages.map(({ id, title }) => ({ value: id, label: title }))}
          onChange={({ currentTarget: { value } }) => {
            localStorage.setItem(storageKey, value)
            setChosen(value)
          }}
        />
      )}
      <QrCode value={page.url} label={page.title} size={248} />
      <Text fw={600} ta="center">
        {page.title}
      </Text>
      <Text size="sm" c="dimmed" ta="center">
        {say('scan')}
      </Text>
      <Text className="code" ta="center">
        {page.url.replace(/^https?:\/\//, '')}
      </Text>
    </Stack>
  )
}
