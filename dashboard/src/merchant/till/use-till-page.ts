/** The page whose code this till shows, and whose payments it counts. Kept on this device. */
import { useState } from 'react'
import { useAccount } from '../account.ts'

export function useTillPage(): [id: string | null, choose: (id: string) => void] {
  const { owner, environment } = useAccount()
  const key = `malipo-till-page-${owner}-${environment}`
  const [id, setId] = useState(() => localStorage.getItem(key))
  return [
    id,
    (chosen) => {
      localStorage.setItem(key, chosen)
      setId(chosen)
    },
  ]
}
