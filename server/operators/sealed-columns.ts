/** Every column with sealed values: a rotation of the envelope keys must move all of them. A test compares this list with the schema. */
import { secondFactorColumns } from '../identity/prove-second-factor.ts'
import { mailColumns } from '../mail/mail.ts'
import type { SealedColumn } from '../platform/db/sealed-column.sql.ts'
import { nationalIdColumns } from '../onboarding/kyc.ts'
import { endpointColumns } from '../webhooks/endpoint.ts'

export const sealedColumns: readonly SealedColumn[] = [
  ...endpointColumns,
  ...secondFactorColumns,
  ...nationalIdColumns,
  ...mailColumns,
]
