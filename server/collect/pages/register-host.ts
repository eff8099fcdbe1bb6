/** Registers the hosts to which a merchant sends payers. No transaction is open while a host is asked for its proof. */
import { randomBytes } from 'node:crypto'
import { appendAudit, type Origin } from '../../base/audit/audit.ts'
import type { Config } from '../../config/config.ts'
import { lockMerchant } from '../../accounts/identity/merchant.sql.ts'
import { wireIdOf, type Owner } from '../../accounts/identity/merchant.ts'
import { tellOwners } from '../../accounts/members/mail-owners.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import type { Db, Tx } from '../../platform/db/db.ts'
import { notFound, Refusal } from '../../platform/refusal.ts'
import type { HostProver } from './prove-host.ts'
import { maxHosts, needsProof, type RedirectHost } from './redirect-host.ts'
import { deleteHost, insertHost, listHosts, markProved } from './redirect-host.sql.ts'

export type RegisterHostDeps = { db: Db; sealer: Sealer; proveHost: HostProver; config: Pick<Config, 'pages'> }

/** Adds the host, or checks the proof of an existing one again. More than 20: 409 `too_many_hosts`. */
export async function registerHost(
  deps: RegisterHostDeps,
  owner: Owner,
  host: string,
  origin: Origin,
  confirm: (tx: Tx) => Promise<unknown>,
): Promise<RedirectHost> {
  const registered = await deps.db.tx(async (tx) => {
    // Locked, so that two requests at the same time do not pass the maximum together.
    await lockMerchant(tx, owner.merchant.id)
    await confirm(tx)
    const all = await listHosts(tx, owner)
    const isNew = all.every((one) => one.host !== host)
    if (isNew && all.length >= maxHosts) {
      throw new Refusal(
        409,
        'too_many_hosts',
        `You have reached the maximum of ${maxHosts} hosts. Remove one that is no longer used.`,
      )
    }
    const inserted = await insertHost(tx, owner, { host, token: randomBytes(20).toString('hex') })
    if (isNew) await note(deps, tx, owner, 'registered', host, origin)
    return inserted
  })
  if (registered.provedAt !== null) return registered
  const provedBy = needsProof(deps.config.pages, owner.environment) ? await deps.proveHost(registered) : 'not_needed'
  if (provedBy === undefined) return registered
  return deps.db.tx(async (tx) => {
    await confirm(tx)
    const proved = await markProved(tx, owner, registered, provedBy)
    if (!proved) return registered
    const after = { host, proved_by: provedBy, environment: owner.environment }
    await appendAudit(tx, origin, {
      action: 'redirect_host.proved',
      object: wireIdOf(owner.merchant),
      merchantId: owner.merchant.id,
      after,
    })
    return proved
  })
}

const noticeOf = {
  registered: {
    sw: 'Tovuti mpya ya kurudisha walipaji imeandikishwa',
    en: 'A new site to which payers may be sent was registered',
  },
  removed: { sw: 'Tovuti ya kurudisha walipaji imeondolewa', en: 'A site to which payers may be sent was removed' },
} as const

/** Writes down that a host came or went, and tells the owners if it is live. */
async function note(
  deps: { sealer: Sealer },
  tx: Tx,
  { merchant, environment }: Owner,
  what: keyof typeof noticeOf,
  host: string,
  origin: Origin,
): Promise<void> {
  if (environment === 'live') await tellOwners(deps, tx, merchant.id, noticeOf[what])
  const facts = { [what === 'removed' ? 'before' : 'after']: { host, environment } }
  await appendAudit(tx, origin, {
    action: `redirect_host.${what}`,
    object: wireIdOf(merchant),
    merchantId: merchant.id,
    ...facts,
  })
}

/** Pages that lead there keep their address, and operators find them in `ops redirects`. Unknown: 404. */
export async function removeHost(
  deps: RegisterHostDeps,
  owner: Owner,
  host: string,
  origin: Origin,
  confirm: (tx: Tx) => Promise<unknown>,
): Promise<void> {
  await deps.db.tx(async (tx) => {
    await confirm(tx)
    if (!(await deleteHost(tx, owner, host))) throw notFound()
    await note(deps, tx, owner, 'removed', host, origin)
  })
}
