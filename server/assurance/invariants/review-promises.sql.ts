/** The promises about the review of the persons and businesses behind a merchant. */
import { sql } from '../../platform/db/db.ts'
import { idsOf, type Check } from './scope.sql.ts'

export const reviewPromises: readonly Check[] = [
  {
    invariant: 'reviews',
    over: 'merchants',
    broken: (scope) => sql`
      select format('merchant %s is %s at stage %s', m.id, m.verification_status, v.stage) as what
      from verifications v join merchants m on m.id = v.merchant_id
      where v.merchant_id = any(${idsOf(scope)}::uuid[]) and not case v.stage
        when 'draft' then m.verification_status in ('unsubmitted', 'pending')
        when 'submitted' then m.verification_status = 'pending'
        else m.verification_status in ('verified', 'rejected')
      end
      union all
      select format('merchant %s is %s in version %s, its history ends with %s in version %s', m.id, m.verification_status, v.version,
        h.to_status, h.version)
      from verifications v
      join merchants m on m.id = v.merchant_id
      join lateral (
        select version, to_status from verification_history h where h.merchant_id = v.merchant_id order by version desc limit 1
      ) h on true
      where v.merchant_id = any(${idsOf(scope)}::uuid[]) and (h.version <> v.version or h.to_status <> m.verification_status)
      union all
      select format('merchant %s was decided on by the person behind it in version %s', h.merchant_id, h.version)
      from verification_history h join merchants m on m.id = h.merchant_id
      where h.merchant_id = any(${idsOf(scope)}::uuid[]) and h.action in ('verified', 'rejected') and h.actor_user_id = m.user_id
      union all
      select format('business %s is verified on %s readable documents', m.id, count(d.review_sha256))
      from merchants m
      left join submitted_documents s on s.merchant_id = m.id
      left join documents d on d.id = s.document_id
      where m.id = any(${idsOf(scope)}::uuid[]) and m.kind = 'business' and m.verification_status = 'verified'
      group by m.id having count(d.review_sha256) <> 4`,
  },
]
