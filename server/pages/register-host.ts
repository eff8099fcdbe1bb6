/** Registers the hosts to which a merchant sends payers. No transaction is open while a host is asked for its proof. */
import { randomBytes } from 'node:crypto'
import { appendAudit, type Origin } from '../audit/audit.ts'
import type { Config } from '../config.ts'
import { wireIdOf, type Owner } from '../identity/merchant.ts'
import type { Db, Tx } from '../platform/db/db.ts'
import { notFound, Refusal } from '../platform/refusal.ts'
import type { HostProver } from './prove-host.ts'
import { maxHosts, needsProof, type RedirectHost } from './redirect-host.ts'
import { deleteHost, insertHost, listHosts, markProved } from './redirect-host.sql.ts'

export type RegisterHostDeps = { db: Db; proveHost: HostProver; config: Pick<Config, 'pages'> }

/** Adds the host, or checks the proof of an existing one again. More than 20: 409 `too_many_hosts`. */
export async function registerHost(
  deps: RegisterHostDeps,
  owner: Owner,
  host: string,
  origin: Origin,
  confirm: (tx: Tx) => Promise<unknown>,
): Promise<RedirectHost> {
  const all = await listHosts(deps.db, owner)
  const isNew = all.every((one) => one.host !== host)
  if (isNew && all.length >= maxHosts) {
    throw new Refusal(
      409,
      'too_many_hosts',
      `You have reached the maximum of ${maxHosts} hosts. Remove one that is no longer used.`,
    )
  }
  const registered = await deps.db.tx(async (tx) => {
    await confirm(tx)
    return insertHost(tx, owner, { host, token: randomBytes(20).toString('hex') })
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
    const before = { host, environment: owner.environment }
    await appendAudit(tx, origin, {
      action: 'redirect_host.removed',
      object: wireIdOf(owner.merchant),
      merchantId: owner.merchant.id,
      before,
    })
  })
}
