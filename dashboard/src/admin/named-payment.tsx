/** A payment as people know it: its merchant, payer and page; the reference stays below, to copy. */
import { Link } from '@tanstack/react-router'
import { useAnswer } from '../api/queries.ts'
import { Note } from '../ui/note.tsx'

export function NamedPayment({ reference }: { reference: string }) {
  const { data } = useAnswer('GET /v1/admin/payments/{reference}', { params: { reference } })
  const payment = data?.data
  const link = (text: string) => (
    <Link to="/payments/$reference" params={{ reference }}>
      {text}
    </Link>
  )
  if (!payment) return link(reference)
  const { merchant, payer, page } = payment
  return (
    <>
      {link([merchant.name, payer.name ?? payer.phone_masked, page?.title].filter(Boolean).join(' · '))}
      <Note>{reference}</Note>
    </>
  )
}
