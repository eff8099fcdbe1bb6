/** What a page of a merchant shows beside its own content: the merchant's brand, and where to get help. */
import type { FastifyReply } from 'fastify'
import type { Config } from '../../../config/config.ts'
import type { PaymentView } from '../../../collect/payments/payment.sql.ts'
import { findSupportContact } from '../../../collect/support-cases/support-contact.sql.ts'
import type { Runner } from '../../../platform/db/db.ts'
import { logoPath } from '../../../merchants/brands/brand.ts'
import { brandCss, shownBrand, type ShownBrand } from './brand-look.ts'
import { reportPath } from './case-screen.ts'
import type { Html } from './html.ts'
import { contentSecurityPolicy, type Extra } from './look.ts'
import type { Language } from './messages.ts'
import { helpHtml } from './support-lines.ts'

type Merchant = { merchantId: string; merchantName: string | null }

/** Where to get help on a merchant's page. `report`: the path of the form for money that was taken. */
export async function helpFor(
  { db, config }: { db: Runner; config: Pick<Config, 'support'> },
  { merchantId, merchantName }: Merchant,
  language: Language,
  report?: string,
): Promise<Html> {
  // What its owner typed is shown only beside a name that a reviewer has seen.
  const contact = merchantName === null ? undefined : await findSupportContact(db, merchantId)
  return helpHtml({ merchantName, contact, operators: config.support, reportPath: report }, language)
}

/**
 * The brand, which the policy of this answer then allows together with `extra`, and the help: on the page of a payment that was sent, also how to report that
 * money was taken.
 */
export async function brandAndHelp(
  deps: { db: Runner; config: Pick<Config, 'support' | 'urls' | 'cell'> },
  reply: FastifyReply,
  page: Merchant,
  { language, payment, extra }: { language: Language; payment?: PaymentView; extra?: Extra },
): Promise<{ brand: ShownBrand | undefined; help: Html }> {
  const report = payment === undefined || payment.isUnconfirmed ? undefined : reportPath(payment, language)
  const [brand, help] = await Promise.all([shownBrand(deps.db, page.merchantId), helpFor(deps, page, language, report)])
  const color = brand?.color
  if (color || extra) {
    const policy = contentSecurityPolicy(deps.config.urls.api, { ...(color && { brandCss: brandCss(color) }), extra })
    void reply.header('content-security-policy', policy)
  }
  const logoSource = brand?.logo ? logoPath(brand.logo, deps.config.cell.name) : ''
  return { brand: brand && { ...brand, logoSource }, help }
}
