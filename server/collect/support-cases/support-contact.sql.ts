/** The statements on support_contacts. */
import { sql, type Runner, type Tx } from '../../platform/db/db.ts'
import type { SupportContact } from './support-contact.ts'

/** Undefined: the merchant has chosen none. */
export async function findSupportContact(
  db: Runner,
  merchantId: string,
): Promise<(SupportContact & { updatedAt: Date }) | undefined> {
  return db.maybeOne<SupportContact & { updatedAt: Date }>(
    sql`select phone, email, whatsapp, updated_at from support_contacts where merchant_id = ${merchantId}`,
  )
}

export async function saveSupportContact(tx: Tx, merchantId: string, contact: SupportContact, changedBy: string): Promise<void> {
  const { phone, email, whatsapp } = contact
  await tx.rows(sql`
    insert into support_contacts (merchant_id, phone, email, whatsapp, changed_by)
    values (${merchantId}, ${phone}, ${email}, ${whatsapp}, ${changedBy})
    on conflict (merchant_id) do update set phone = excluded.phone, email = excluded.email, whatsapp = excluded.whatsapp,
      changed_by = excluded.changed_by, updated_at = clock_now()`)
}

export async function deleteSupportContacts(tx: Tx, merchantIds: string[]): Promise<void> {
  await tx.rows(sql`delete from support_contacts where merchant_id = any(${merchantIds}::uuid[])`)
}
