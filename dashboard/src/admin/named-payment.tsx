/** A payment as people know it: its merchant, payer and page; the reference stays below, to copy. */
import { Link } from '@tanstack/react-router'
import type { PaymentNames } from '../api/operations.ts'
import { useAnswer } from '../api/queries.ts'
import { Note } from '../ui/note.tsx'

const inLine = ({ merchant, payer, page }: PaymentNames): string =>
  [merchant.name, payer.name ?? payer.phone_masked, page?.title].filter(Boolean).join(' · ')

/** What people read, with the id below it, which filters take; null: it has only its id. */
export function NameAndId({ name, id }: { name: string | null; id: string }) {
  const code = <span className="code">{id}</span>
  if (name === null) return code
  return (
    <>
      <span>{name}</span>
      <Note>{code}</Note>
    </>
  )
}

/** For a row of a list, which leads to something else. */
export function PaymentCell({ of: names, id }: { of: PaymentNames | null; id: string | null }) {
  return <NameAndId name={names && inLine(names)} id={id ?? '–'} />
}

export function NamedPayment({ reference }: { reference: string }) {
  const { data } = useAnswer('GET /v1/admin/payments/{reference}', { params: { reference } })
  const payment = data?.data
  return (
    <>
      <Link to="/payments/$reference" params={{ reference }}>
        {payment ? inLine(payment) : reference}
      </Link>
      {payment && <Note>{reference}</Note>}
    </>
  )
}
