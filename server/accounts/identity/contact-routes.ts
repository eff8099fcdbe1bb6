/** HTTP routes of a change of the e-mail address or the phone number. */
import { personRoute, type SignedInRouteDeps } from './route.ts'
import { z } from 'zod'
import type { Db } from '../../platform/db/db.ts'
import { dataOf, type Http } from '../../platform/http/http.ts'
import { invalidFields, must } from '../../platform/refusal.ts'
import { originOf } from './authenticate.ts'
import { confirmContactChange, requestContactChange, type ChangeContactDeps, type NewContact } from './change-contact.ts'
import { countRegistration, type CountRegistrationDeps } from './limit-registrations.ts'
import { mailedCode } from './mailed-code.ts'
import { findUser } from './user.sql.ts'
import { emailAddress, phoneNumber, userSchema, userToJson } from './user.ts'

export type ContactRouteDeps = SignedInRouteDeps & ChangeContactDeps & CountRegistrationDeps

const contactBody = z.strictObject({ email: emailAddress.optional(), phone_number: phoneNumber.optional() }).prefault({})

function readContact({ email, phone_number: phone }: z.infer<typeof contactBody>): NewContact {
  if (email !== undefined && phone === undefined) return { email }
  if (phone !== undefined && email === undefined) return { phoneNumber: phone }
  const message = 'Send either a new e-mail address or a new phone number, not both.'
  throw invalidFields([{ field: 'email', code: 'required', message }])
}

async function readUser(db: Db, userId: string): Promise<z.infer<typeof userSchema>> {
  const user = must(await findUser(db, userId), 'a signed-in user has a row')
  return userToJson(user)
}

export function contactRoutes(http: Http, deps: ContactRouteDeps): void {
  personRoute(http, deps, {
    route: 'POST /v1/auth/contact/change',
    operationId: 'requestContactChange',
    summary: 'Change your e-mail or phone number',
    description:
      'Send `email` or `phone_number`. A code for `POST /v1/auth/contact/confirm` is mailed: for a new address to that address, for a new number to your current address. Your current address is notified. The code is valid for 30 minutes; a new request replaces the open one. You must have signed in or stepped up (`POST /v1/auth/step-up`) in the last 5 minutes: 401 `step_up_required`. The answer is the same if another account has the address or number; then no code works. The value of your account: 409 `invalid_state`. At most one request a minute and ten in 24 hours, and each counts towards the limit of registrations from your network: 429 `rate_limited`.',
    body: contactBody,
    answers: { 200: dataOf(userSchema) },
    refuses: ['invalid_state'],
    handler: async (request, reply) => {
      const contact = readContact(request.body)
      await countRegistration(deps, request, reply)
      await requestContactChange(deps, request.signedIn, contact, originOf(request))
      void reply.header('cache-control', 'no-store')
      return { data: await readUser(deps.db, request.signedIn.userId) }
    },
  })

  personRoute(http, deps, {
    route: 'POST /v1/auth/contact/confirm',
    operationId: 'confirmContactChange',
    summary: 'Confirm a contact change',
    description:
      'Takes the code of `POST /v1/auth/contact/change`, sets the address or number, ends all your other sessions and notifies the old address. A new address counts as verified. In live, your payouts wait for a while (409 `payout_must_wait`). A code that is wrong, expired, used or replaced, or of another person, or for a value that another account has: 400 `token_invalid`. Five wrong attempts invalidate the code.',
    body: z.strictObject({ code: mailedCode }),
    answers: { 200: dataOf(userSchema) },
    refuses: ['token_invalid'],
    handler: async (request, reply) => {
      await confirmContactChange(deps, request.signedIn, request.body.code, originOf(request))
      void reply.header('cache-control', 'no-store')
      return { data: await readUser(deps.db, request.signedIn.userId) }
    },
  })
}
