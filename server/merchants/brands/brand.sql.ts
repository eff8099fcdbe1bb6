/** The statements on merchant_brands. */
import type { ImageType } from '../../domain/document.ts'
import { sql, type Runner, type Tx } from '../../platform/db/db.ts'
import { noBrand, type Brand, type LogoFacts } from './brand.ts'

type Row = {
  color: string | null
  logoType: ImageType | null
  logoWidth: number | null
  logoHeight: number | null
  logoSha256: Buffer | null
  removedSha256: Buffer | null
  removedReason: string | null
  removedAt: Date | null
  updatedAt: Date
}

const columns = sql`b.color, b.logo_type, b.logo_width, b.logo_height, b.logo_sha256, b.removed_sha256, b.removed_reason, b.removed_at,
  b.updated_at`

function logoOf({
  logoType,
  logoWidth,
  logoHeight,
  logoSha256,
}: Omit<Row, 'removedSha256' | 'removedReason' | 'removedAt' | 'updatedAt' | 'color'>): LogoFacts | null {
  // A constraint keeps them together.
  return logoSha256 && { type: logoType!, width: logoWidth!, height: logoHeight!, sha256: logoSha256 }
}

function brandOf(row: Row): Brand {
  const { color, updatedAt, removedSha256, removedReason, removedAt } = row
  const removal = removedSha256 && { sha256: removedSha256, reason: removedReason!, at: removedAt! }
  return { color, logo: logoOf(row), removal, updatedAt }
}

export async function findBrand(db: Runner, merchantId: string): Promise<Brand> {
  const [row] = await db.rows<Row>(sql`select ${columns} from merchant_brands b where b.merchant_id = ${merchantId}`)
  return row ? brandOf(row) : noBrand
}

/** The same, locked until the transaction ends. Without a row, there is nothing to lock. */
export async function lockBrand(tx: Tx, merchantId: string): Promise<Brand> {
  const [row] = await tx.rows<Row>(sql`select ${columns} from merchant_brands b where b.merchant_id = ${merchantId} for update`)
  return row ? brandOf(row) : noBrand
}

/** What decides whether payers see the brand; undefined: the merchant has chosen none. */
export async function findBrandOfPage(
  db: Runner,
  merchantId: string,
): Promise<(Pick<Brand, 'color' | 'logo'> & { verificationStatus: string; suspendedAt: Date | null }) | undefined> {
  const [row] = await db.rows<{
    color: string | null
    logoType: ImageType | null
    logoWidth: number | null
    logoHeight: number | null
    logoSha256: Buffer | null
    verificationStatus: string
    suspendedAt: Date | null
  }>(sql`
    select b.color, b.logo_type, b.logo_width, b.logo_height, b.logo_sha256, m.verification_status, m.suspended_at
    from merchant_brands b join merchants m on m.id = b.merchant_id
    where b.merchant_id = ${merchantId} and (b.color is not null or b.logo is not null)`)
  if (!row) return undefined
  const { color, verificationStatus, suspendedAt } = row
  return { color, logo: logoOf(row), verificationStatus, suspendedAt }
}

export async function readLogo(db: Runner, merchantId: string): Promise<Buffer | undefined> {
  return db.maybeValue<Buffer>(sql`select logo from merchant_brands where merchant_id = ${merchantId} and logo is not null`)
}

/** A logo by its public address. Undefined for one that is no longer set, or that only suspended merchants have. */
export async function findLogo(db: Runner, sha256: Buffer): Promise<{ logo: Buffer; logoType: ImageType } | undefined> {
  return db.maybeOne<{ logo: Buffer; logoType: ImageType }>(sql`
    select b.logo, b.logo_type from merchant_brands b join merchants m on m.id = b.merchant_id
    where b.logo_sha256 = ${sha256} and b.logo is not null and b.logo_type is not null and m.suspended_at is null
    limit 1`)
}

export async function saveColor(tx: Tx, merchantId: string, color: string | null, changedBy: string): Promise<void> {
  await tx.rows(sql`
    insert into merchant_brands (merchant_id, color, changed_by) values (${merchantId}, ${color}, ${changedBy})
    on conflict (merchant_id) do update set color = excluded.color, changed_by = excluded.changed_by, updated_at = clock_now()`)
}

export async function saveLogo(
  tx: Tx,
  merchantId: string,
  logo: LogoFacts & { bytes: Buffer },
  changedBy: string,
): Promise<void> {
  await tx.rows(sql`
    insert into merchant_brands (merchant_id, logo, logo_type, logo_width, logo_height, logo_sha256, changed_by)
    values (${merchantId}, ${logo.bytes}, ${logo.type}, ${logo.width}, ${logo.height}, ${logo.sha256}, ${changedBy})
    on conflict (merchant_id) do update set logo = excluded.logo, logo_type = excluded.logo_type, logo_width = excluded.logo_width,
      logo_height = excluded.logo_height, logo_sha256 = excluded.logo_sha256, changed_by = excluded.changed_by, updated_at = clock_now()`)
}

/** `reason`: of the operators who remove it; null: its merchant removes it. False: there is no logo. */
export async function removeLogo(tx: Tx, merchantId: string, reason: string | null, changedBy: string): Promise<boolean> {
  return tx.any(sql`
    update merchant_brands set logo = null, logo_type = null, logo_width = null, logo_height = null, logo_sha256 = null,
      removed_sha256 = case when ${reason}::text is null then removed_sha256 else logo_sha256 end,
      removed_reason = coalesce(${reason}, removed_reason),
      removed_at = case when ${reason}::text is null then removed_at else clock_now() end,
      changed_by = ${changedBy}, updated_at = clock_now()
    where merchant_id = ${merchantId} and logo is not null
    returning merchant_id`)
}

export async function deleteBrands(tx: Tx, merchantIds: string[]): Promise<void> {
  await tx.rows(sql`delete from merchant_brands where merchant_id = any(${merchantIds}::uuid[])`)
}
