/** Sets the logo of a merchant from a file's bytes. Invariant: only a picture that was made from its pixels is stored. */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { appendAudit, type Origin } from '../../base/audit/audit.ts'
import type { Config } from '../../config/config.ts'
import type { ContentCheck, Logo } from '../documents/check-content.ts'
import { uploadFolder } from '../documents/receive-upload.ts'
import { wireIdOf, type Merchant } from '../../accounts/identity/merchant.ts'
import { tellOwners } from '../../accounts/members/mail-owners.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import type { Db, Tx } from '../../platform/db/db.ts'
import { newId } from '../../platform/ids.ts'
import { brokenFields, Refusal } from '../../platform/refusal.ts'
import { brandNotice, maxLogoBytes } from './brand.ts'
import { lockBrand, saveLogo } from './brand.sql.ts'

export type SetLogoDeps = { db: Db; sealer: Sealer; config: Pick<Config, 'dataDir'>; contentCheck: ContentCheck }

/** Refuses with 400 `logo_invalid` what is no usable picture, and with 503 when it cannot be checked now. */
async function makeLogo({ config, contentCheck }: SetLogoDeps, merchant: Merchant, bytes: Buffer): Promise<Logo> {
  const folder = uploadFolder(config)
  const file = join(folder, newId())
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await writeFile(file, bytes, { flag: 'wx', mode: 0o600 })
    const outcome = await contentCheck.makeLogo(wireIdOf(merchant), file, maxLogoBytes)
    switch (outcome.kind) {
      case 'made':
        return outcome.logo
      case 'unreadable':
        throw brokenFields([
          { field: 'image', code: 'logo_invalid', message: 'The picture cannot be opened. Save it again and send it.' },
        ])
      case 'refused':
        throw brokenFields([{ field: 'image', code: 'logo_invalid', message: outcome.reason }])
      case 'undecided':
        throw new Refusal(
          503,
          outcome.cause === 'scanner' ? 'scanner_unavailable' : 'overloaded',
          'The picture cannot be checked at the moment. Nothing has changed. Try again shortly.',
          { retryAfterSeconds: 10 },
        )
    }
  } finally {
    await rm(file, { force: true })
  }
}

/** `confirm` runs in the transaction that stores the logo. 409 `logo_removed`: operators have removed the same picture. */
export async function setLogo(
  deps: SetLogoDeps,
  merchant: Merchant,
  bytes: Buffer,
  { origin, confirm }: { origin: Origin; confirm: (tx: Tx) => Promise<unknown> },
): Promise<void> {
  const { contentType, ...logo } = await makeLogo(deps, merchant, bytes)
  await deps.db.tx(async (tx) => {
    await confirm(tx)
    const { removal } = await lockBrand(tx, merchant.id)
    if (removal?.sha256.equals(logo.sha256)) {
      throw new Refusal(409, 'logo_removed', 'Operators have removed this logo. Read the reason, and send another one.')
    }
    await saveLogo(tx, merchant.id, { ...logo, type: contentType }, origin.actor)
    await tellOwners(deps, tx, merchant.id, brandNotice)
    await appendAudit(tx, origin, {
      action: 'brand.logo_set',
      object: wireIdOf(merchant),
      merchantId: merchant.id,
      after: { sha256: logo.sha256.toString('hex'), size_bytes: logo.bytes.length },
    })
  })
}
