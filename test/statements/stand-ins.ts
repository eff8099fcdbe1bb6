/** The SQL to prepare for pieces that cannot be followed in the source, as `file: expression`. */
export const standIns: Record<string, string> = {
  'server/platform/db/sealed-column.sql.ts: named(table)': 'webhook_endpoints',
  'server/platform/db/sealed-column.sql.ts: named(column)': 'secret_sealed',
  'server/platform/db/sealed-column.sql.ts: named(id)': 'id',
  'server/assurance/invariants/changed-keys.sql.ts: query':
    'select home, debit_account_id as id from ledger_transfers where created_at >= clock_now()',
  'server/assurance/invariants/changed-keys.sql.ts: condition': 'payments r where r.created_at >= clock_now()',
  'server/assurance/invariants/walks.sql.ts: table': 'payments',
  'server/assurance/invariants/verify.ts: broken(scope)': `select 'what' as what`,
  'server/accounts/members/approval.sql.ts: canEnd': 'true',
  'server/operations/data-lifecycle/person.sql.ts: read(who)': `select to_jsonb(t) as row from users t where t.email = ''`,
}
