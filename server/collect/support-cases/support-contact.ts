/**
 * Where payers reach a merchant. Invariant: only what the merchant has chosen is shown; without a choice, payers see its name and the
 * operators' contact, and never the private phone number or e-mail address of a person.
 */
import { z } from 'zod'
import { anyPhoneTyped } from '../../domain/any-phone.ts'
import { mailAddress } from '../../platform/http/text.ts'

/** What a merchant has chosen. E.164; each null if it has not chosen one. */
export type SupportContact = { phone: string | null; email: string | null; whatsapp: string | null }

export const noContact: SupportContact = { phone: null, email: null, whatsapp: null }

/** A phone number as a person writes it, as E.164: `0754 123 456` is one of Tanzania. */
const phoneNumber = z
  .string()
  .max(60)
  .transform((text, context) => {
    const phone = anyPhoneTyped(text)
    if (phone !== undefined) return phone
    context.addIssue({ code: 'custom', message: 'Enter a valid phone number, such as +255754123456.' })
    return z.NEVER
  })
  .meta({ example: '+255754123456' })

const emailAddress = mailAddress.meta({ example: 'msaada@duka.example' })

/** What a merchant sends. */
export const contactFields = {
  phone: phoneNumber.nullable().meta({ description: 'A number that payers may call, E.164. Null: none.' }),
  email: emailAddress.nullable().meta({ description: 'An address that payers may write to. Null: none.' }),
  whatsapp: phoneNumber.nullable().meta({ description: 'A number with WhatsApp, E.164. Null: none.' }),
}

const shownPhone = z.string().nullable()

export const contactSchema = z
  .object({
    phone: shownPhone,
    email: z.string().nullable(),
    whatsapp: shownPhone,
    is_set: z.boolean().meta({ description: 'False: payers see your name and the contact of the service.' }),
    changed_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'SupportContact' })

export function isEmpty({ phone, email, whatsapp }: SupportContact): boolean {
  return phone === null && email === null && whatsapp === null
}
