/** The queue of mail: writes what is to be sent, takes what is due, writes down what came of it. The only statements on `mails`. */
import { sql, type Runner } from '../platform/db.ts'

export type MailRow = { id: string; kind: string; recipient: string; sealedContent: string }

/** Stores a mail that is due at once; the workers hear of it when the transaction commits. */
export async function insertMail(runner: Runner, mail: MailRow): Promise<void> {
  await runner.rows(sql`
    with enqueued as (
      insert into mails (id, kind, recipient, sealed_content)
      values (${mail.id}, ${mail.kind}, ${mail.recipient}, ${mail.sealedContent})
      returning id
    )
    select pg_notify('mails_due', '') from enqueued`)
}
