/** Fetches a document by the address that the API gave out for it: good once, for this session. Nothing of it is kept anywhere. */
import { errorOf, fetchOrFail } from './api-error.ts'
import { accessToken } from './session.ts'

export async function fetchDocument(address: string): Promise<Blob> {
  const token = await accessToken()
  const response = await fetchOrFail(address, { cache: 'no-store', headers: { authorization: `Bearer ${token ?? ''}` } })
  if (!response.ok) throw await errorOf(response)
  return response.blob()
}
