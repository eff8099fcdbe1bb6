/** Users: the data that they must give, and the data that they see of themselves. Invariant: no secret of a user has a public name. */
import { z } from 'zod'
import { registrantSchema, roleSchema, type Role } from '../../domain/account.ts'
import { verificationStatusSchema, type VerificationStatus } from '../../domain/verification.ts'
import { toWire } from '../../platform/ids.ts'
import { anyMobileTyped } from '../../domain/any-phone.ts'
import { lineOfText, mailAddress } from '../../platform/http/text.ts'
import { maxPasswordCharacters, minPasswordCharacters, newPassword } from './password.ts'
import { answerOf } from '../../platform/http/answer.ts'
import { Refusal } from '../../platform/refusal.ts'

export type User = {
  id: string
  fullName: string
  email: string
  /** Null for operators who never were students. */
  phoneNumber: string | null
  /** Null for operators, too, and for people who were invited to a business or represent one, until they give it; like the next one. */
  studentId: string | null
  institution: string | null
  role: Role
  isEmailVerified: boolean
  hasSecondFactor: boolean
  recoveryCodesLeft: number
  /** The verification status of the user's personal merchant. */
  kycStatus: VerificationStatus
  /** The open change of the e-mail address, or of the phone number, and where its code was mailed; null: there is none. */
  changeMailedTo: string | null
  changePhoneNumber: string | null
  changeExpiresAt: Date | null
  createdAt: Date
  updatedAt: Date
}

export const emailAddress = mailAddress.meta({ format: 'email', example: 'asha@udsm.ac.tz' })

export const phoneNumber = z
  .string()
  .max(60)
  .transform((text, context) => {
    const phone = anyMobileTyped(text)
    if (phone !== undefined) return phone
    context.addIssue({ code: 'custom', message: 'Enter a valid mobile number, such as +255712345678.' })
    return z.NEVER
  })
  .meta({ description: 'Any valid mobile number; stored as E.164.', example: '+255712345678' })

export const fullName = lineOfText(120).meta({ example: 'Asha Mwinyi' })
export const studentId = lineOfText(64).meta({ example: '2023-04-01234' })
export const institution = lineOfText(120).meta({ example: 'University of Dar es Salaam' })

export const newPersonSchema = z.strictObject({
  full_name: fullName,
  email: emailAddress,
  phone_number: phoneNumber,
  password: newPassword.meta({
    description: `${minPasswordCharacters} to ${maxPasswordCharacters} characters of any kind. A password that is easy to guess is refused with 400: known passwords, keyboard rows, repeats, and passwords made of your own names. The code in its error gives the reason (\`password_common\`, \`password_personal\`, \`password_guessable\`).`,
    format: 'password',
  }),
  registers_as: registrantSchema
    .default('student')
    .meta({ description: '`representative`: of a business that is registered next. Not needed with `invitation_token`.' }),
  student_id: studentId.optional().meta({ description: 'Required of a student, like `institution`.' }),
  institution: institution.optional(),
  invitation_token: z
    .string()
    .max(200)
    .optional()
    .meta({ description: 'From the link of an invitation to a business that was mailed to this address.' }),
})

export const contactChangeSchema = z.object({
  email: z.string().nullable().meta({ description: 'The new address, or null.' }),
  phone_number: z.string().nullable().meta({ description: 'The new number, or null.' }),
  expires_at: z.iso.datetime(),
})

export const userSchema = z
  .object({
    id: z.string().meta({ example: 'usr_01jz8e6c9kf0x9v4m2n7q5t3ab' }),
    full_name: z.string(),
    email: z.string(),
    email_verified: z.boolean().meta({ description: 'Whether this address was verified with a mailed code.' }),
    phone_number: z.string().nullable().meta({ description: 'E.164. Null only for an operator.', example: '+255712345678' }),
    student_id: z.string().nullable().meta({
      description:
        'This field and the next one are null for operators, and for a person who was invited to a business or represents one, until they give it.',
    }),
    institution: z.string().nullable(),
    role: roleSchema,
    two_factor: z.object({
      enabled: z.boolean().meta({ description: 'Whether sign-in requires a code from your authenticator app.' }),
      recovery_codes_left: z.int().meta({ description: 'Unused recovery codes.', example: 10 }),
    }),
    kyc_status: verificationStatusSchema.meta({ description: 'Live keys, personal page writes and payouts require `verified`.' }),
    contact_change: contactChangeSchema.nullable().meta({ description: 'A change that waits for its mailed code.' }),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'User' })

function contactChangeToJson(user: User): z.infer<typeof contactChangeSchema> | null {
  const { changeMailedTo, changePhoneNumber, changeExpiresAt } = user
  if (changeExpiresAt === null) return null
  const email = changePhoneNumber === null ? changeMailedTo : null
  return { email, phone_number: changePhoneNumber, expires_at: changeExpiresAt.toISOString() }
}

/** Refuses a person without a student number, which is kept with what they submit or register: 403 `student_id_required`. */
export function requireStudentId({ studentId: given }: Pick<User, 'studentId'>): void {
  if (given !== null) return
  throw new Refusal(403, 'student_id_required', 'Add your student number first: in your profile, or with PATCH /v1/me.')
}

export function userToJson(user: User): z.infer<typeof userSchema> {
  return answerOf(userSchema, user, {
    id: toWire('usr', user.id),
    email_verified: user.isEmailVerified,
    student_id: user.studentId,
    two_factor: { enabled: user.hasSecondFactor, recovery_codes_left: user.recoveryCodesLeft },
    contact_change: contactChangeToJson(user),
  })
}
