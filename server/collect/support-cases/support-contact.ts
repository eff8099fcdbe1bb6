/**
 * Where payers reach a merchant. Invariant: only what the merchant has chosen is shown; without a choice, payers see its name and the
 * operators' contact, and never the private phone number or e-mail address of a person.
 */
import { z } from 'zod'

/** What a merchant has chosen. E.164; each null if it has not chosen one. */
export type SupportContact = { phone: string | null; email: string | null; whatsapp: string | null }

export const noContact: SupportContact = { phone: null, email: null, whatsapp: null }

const e164 = /^\+[1-9]\d{7,14}$/

/** A phone number as a person writes it, as E.164: `0754 123 456` is one of Tanzania. */
const phoneNumber = z
  .string()
  .max(30)
  .transform((typed) =>
    typed
      .replace(/[\s().-]/g, '')
      .replace(/^0(?=[1-9]\d{8}$)/, '+255')
      .replace(/^00/, '+'),
  )
  .refine((number) => e164.test(number), 'Write the number with its country code, such as +255754123456.')
  .meta({ example: '+255754123456' })

const emailAddress = z.email().max(254).meta({ example: 'msaada@duka.example' })

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
